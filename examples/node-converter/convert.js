#!/usr/bin/env node
// Converts a Hermes state.db to the record stream: node convert.js --format … --source … --snapshot … [--namespace …]

import { readFileSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { keyPart } from './cells.js';
import { calls, ENTITIES, message, receipt, replay, session, usage } from './records.js';
import { Store } from './store.js';

const FORMAT = 'hermes-state-sqlite';
const FIELDS = { messages: message, sessions: session, session_model_usage: usage, worker_receipts: receipt };

/** Which session's stream a row belongs to; null is the store's own. */
const SESSION_OF = {
  messages: (row) => row.session_id,
  sessions: (row) => row.id,
  session_model_usage: (row) => row.session_id,
  session_admissions: (row) => row.target_session_id,
  worker_executions: (row) => row.session_id,
  worker_receipts: (row, executions) => executions.get(JSON.stringify(row.execution_id)),
};

class Output {
  #held = [];
  #size = 0;
  counts = { streams: 0, records: 0, gaps: 0, notices: 0 };

  line(item) {
    const text = `${JSON.stringify(item)}\n`;
    this.#held.push(text);
    this.#size += text.length;
    if (this.#size > 1 << 16) this.flush();
  }

  /** Writes what is held, all of it: a pipe takes only a part at a time. */
  flush() {
    let bytes = Buffer.from(this.#held.join(''));
    this.#held = [];
    this.#size = 0;
    while (bytes.length) {
      try {
        bytes = bytes.subarray(writeSync(1, bytes));
      } catch (fault) {
        if (fault.code !== 'EAGAIN') throw fault;
      }
    }
  }
}

class Conversion {
  #streams = new Map();
  #output = new Output();

  constructor(request) {
    this.snapshot = request.snapshot;
    this.store = new Store(request.source);
    const instance = this.store.instance();
    this.namespace = instance === undefined
      ? { value: request.namespace, basis: 'installation' }
      : { value: instance, basis: 'store-instance-id' };
    if (this.namespace.value === undefined) {
      throw new Refusal(`${basename(request.source)} names no namespace of its own; give one with --namespace`);
    }
  }

  run() {
    const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
    const converter = { name: 'hermes-state-node', version };
    this.#output.line({ line: 'begin', protocol: '0.1', converter, producer: 'com.nousresearch.hermes', format: FORMAT });
    const tables = this.store.tables();
    const last = tables.filter((name) => name !== 'messages' && name !== 'worker_receipts');
    this.executions = this.#sessionsOfExecutions(tables);
    this.occurrences = tables.includes('messages') ? this.#uniqueCalls() : new Map();
    for (const table of ['messages', 'worker_receipts', ...last]) if (tables.includes(table)) this.#table(table);
    this.#output.line({ line: 'end', ...this.#output.counts });
    this.#output.flush();
  }

  #table(table) {
    const fields = FIELDS[table] ?? (() => ({}));
    for (const { row, key } of this.store.rows(table)) {
      const parts = key.map(keyPart);
      const plain = parts.length === 1 && typeof parts[0] === 'string';
      const ofTranscript = table === 'messages';
      this.#output.line({
        line: 'record',
        stream: this.#stream(SESSION_OF[table]?.(row, this.executions) ?? null),
        family: ofTranscript ? 'transcript' : 'current-state',
        position: ofTranscript ? parts[0] : this.snapshot,
        entity: { type: ENTITIES[table] ?? 'unknown', key: plain ? parts[0] : JSON.stringify(parts) },
        ...fields(row, (result) => this.#occurrenceOf(result)),
        native: { record: { table, row } },
      });
      this.#output.counts.records += 1;
    }
  }

  #stream(session) {
    const name = JSON.stringify(session);
    if (!this.#streams.has(name)) {
      this.#streams.set(name, this.#streams.size + 1);
      const stream = this.#streams.size;
      this.#output.line({ line: 'stream', stream, namespace: this.namespace, session, agent: null });
      this.#output.counts.streams += 1;
    }
    return this.#streams.get(name);
  }

  #sessionsOfExecutions(tables) {
    const found = new Map();
    if (!tables.includes('worker_executions')) return found;
    for (const { row } of this.store.rows('worker_executions')) {
      found.set(JSON.stringify(row.execution_id), row.session_id);
    }
    return found;
  }

  /** The occurrence of each provider id, where one call of a session and replay state has it; else null. */
  #uniqueCalls() {
    const found = new Map();
    for (const { row } of this.store.rows('messages')) {
      for (const { providerId, occurrence } of calls(row)) {
        const name = scope(row, providerId);
        found.set(name, found.has(name) ? null : occurrence);
      }
    }
    return found;
  }

  #occurrenceOf(row) {
    if (typeof row.tool_call_id !== 'string') return undefined;
    return this.occurrences.get(scope(row, row.tool_call_id)) ?? undefined;
  }
}

function scope(row, providerId) {
  return JSON.stringify([row.session_id, replay(row), providerId]);
}

class Refusal extends Error {}

function main() {
  const options = Object.fromEntries(
    ['format', 'source', 'snapshot', 'namespace'].map((name) => [name, { type: 'string' }]),
  );
  const request = parseArgs({ options }).values;
  for (const name of ['format', 'source', 'snapshot']) {
    if (request[name] === undefined) throw new Refusal(`--${name} is missing`);
  }
  if (request.format !== FORMAT) throw new Refusal(`this converter knows the format ${FORMAT} only`);
  new Conversion(request).run();
}

try {
  main();
} catch (fault) {
  const isTheirs = fault instanceof Refusal || fault.code?.startsWith('ERR_PARSE_ARGS');
  console.error(isTheirs ? `convert.js: ${fault.message}` : fault);
  process.exitCode = isTheirs ? 2 : 1;
}
