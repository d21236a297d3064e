// Opens a state.db and hands on its rows, table by table, each with its key.

import Database from 'better-sqlite3';
import { cell, expressions, quoted } from './cells.js';

const CONTEXT = new Set([
  'state_meta', 'schema_version', 'compression_locks', 'session_turn_leases',
  'gateway_hygiene_state', 'gateway_heartbeats', 'runtime_epoch',
]);

/** The key columns of the tables that Hermes is known to make, the newest form first. */
const KEYS = {
  messages: [['id']],
  sessions: [['id']],
  session_model_usage: [
    ['session_id', 'model', 'billing_provider', 'billing_base_url', 'billing_mode', 'task'],
  ],
  system_prompts: [['hash']],
  delivery_obligations: [['obligation_id']],
  async_delegations: [['delegation_id']],
  gateway_routing: [['scope', 'session_key']],
  telegram_dm_topic_mode: [['profile_name', 'chat_id'], ['chat_id']],
  telegram_dm_topic_bindings: [['profile_name', 'chat_id', 'thread_id'], ['chat_id', 'thread_id']],
  conversation_generations: [['source', 'session_key']],
  session_admissions: [['seq']],
  worker_executions: [['execution_id']],
  worker_receipts: [['execution_id', 'sequence']],
};

export class Store {
  constructor(path) {
    // For writing, because a -wal beside the store can only be read so; the file is a private copy.
    this.database = new Database(path, { fileMustExist: true });
    this.database.defaultSafeIntegers(true);
    const encoding = this.database.pragma('encoding', { simple: true });
    this.decoder = new TextDecoder(encoding === 'UTF-8' ? 'utf-8' : encoding.toLowerCase(), {
      fatal: true,
      ignoreBOM: true,
    });
  }

  /** The names of the tables whose rows are to be converted, in order. */
  tables() {
    const listed = this.database.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name").all();
    const virtual = listed.filter(({ sql }) => /^\s*CREATE\s+VIRTUAL/i.test(sql ?? '')).map(({ name }) => name);
    const shadows = /^(.*)_(data|idx|content|docsize|config|segments|segdir|stat|node|rowid|parent)$/;
    return listed
      .map(({ name }) => name)
      .filter((name) => !CONTEXT.has(name) && !name.startsWith('sqlite_') && !name.startsWith('messages_fts'))
      .filter((name) => !virtual.includes(name) && !virtual.includes(shadows.exec(name)?.[1]));
  }

  /** The rows of a table in the order of its key: {row: cells by column, key: key cells}. */
  *rows(table) {
    const columns = this.columns(table);
    const key = this.key(table, columns);
    const names = [...columns.map(({ name }) => expressions(name)), ...(key.rowid ? [`'integer', ${key.rowid}`] : [])];
    const order = key.rowid ?? key.columns.map(quoted).join(', ');
    const statement = this.database.prepare(
      `SELECT ${names.join(', ')} FROM ${quoted(table)}${order ? ` ORDER BY ${order}` : ''}`,
    );
    let place = 0;
    for (const values of statement.raw().iterate()) {
      const row = {};
      columns.forEach(({ name }, at) => {
        row[name] = cell(values[2 * at], values[2 * at + 1], this.decoder);
      });
      place += 1;
      const rowid = key.rowid ? cell('integer', values.at(-1)) : place;
      yield { row, key: key.columns.length ? key.columns.map((name) => row[name]) : [rowid] };
    }
  }

  columns(table) {
    // Hidden kind 1 is a virtual table's argument; 2 and 3 are generated columns, which SELECT * gives too.
    const all = this.database.pragma(`table_xinfo(${quoted(table)})`);
    return all.filter(({ hidden }) => hidden !== 1n);
  }

  key(table, columns) {
    const names = new Set(columns.map(({ name }) => name));
    const known = KEYS[table]?.find((key) => key.every((name) => names.has(name)));
    if (known) return { columns: known };
    const taken = new Set([...names].map((name) => name.toLowerCase()));
    const rowid = ['rowid', '_rowid_', 'oid'].find((name) => !taken.has(name));
    // Where columns bear every name of the rowid nothing can read it: the place in the table stands for it.
    if (rowid === undefined) return { columns: [] };
    try {
      this.database.prepare(`SELECT ${rowid} FROM ${quoted(table)}`);
      return { columns: [], rowid };
    } catch {
      const primary = columns.filter(({ pk }) => pk > 0n).sort((one, other) => Number(one.pk - other.pk));
      return { columns: primary.map(({ name }) => name) };
    }
  }

  has(table) {
    return this.database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table) !== undefined;
  }

  /** The namespace that the store gives itself, or undefined. */
  instance() {
    if (!this.has('state_meta')) return undefined;
    const found = this.database.prepare("SELECT value FROM state_meta WHERE key = 'store_instance_id'").get();
    return typeof found?.value === 'string' && found.value !== '' ? found.value : undefined;
  }
}
