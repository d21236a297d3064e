// Makes the standard fields of a record from a row, table by table.

import { isObject, json, keyPart, time } from './cells.js';

const COUNTS = [
  'api_call_count', 'tool_call_count', 'input_tokens', 'output_tokens',
  'cache_read_tokens', 'cache_write_tokens', 'reasoning_tokens',
];
const PROVIDER = new Set(['provider_cost_api', 'provider_generation_api']);

export const ENTITIES = {
  messages: 'message',
  sessions: 'session',
  session_model_usage: 'model-usage',
  system_prompts: 'instructions',
  delivery_obligations: 'delivery',
  async_delegations: 'delegation',
  gateway_routing: 'routing',
  telegram_dm_topic_mode: 'routing',
  telegram_dm_topic_bindings: 'routing',
  conversation_generations: 'generation',
  session_admissions: 'admission',
  worker_executions: 'execution',
  worker_receipts: 'receipt',
};

/** The calls of a message, each with its occurrence. */
export function calls(row) {
  const stored = json(row.tool_calls);
  if (!Array.isArray(stored)) return [];
  const uids = json(row.tool_call_uids);
  const seen = new Map();
  for (const call of stored) if (isObject(call)) seen.set(call.id, (seen.get(call.id) ?? 0) + 1);
  return stored.flatMap((call, index) => {
    if (!isObject(call)) return [];
    const inner = isObject(call.function) ? call.function : {};
    const mapped = isObject(uids) && typeof call.id === 'string' && seen.get(call.id) === 1 ? uids[call.id] : undefined;
    return [
      filled({
        occurrence: typeof mapped === 'string' ? mapped : `${keyPart(row.id)}/${index}`,
        providerId: call.id,
        name: inner.name ?? call.name,
        arguments: inner.arguments ?? call.arguments,
      }),
    ];
  });
}

/** Whether a message is in the replay. */
export function replay(row) {
  return row.active !== 0;
}

/** The fields of a message; `occurrenceOf(row)` finds the call that a result answers where the row does not say it. */
export function message(row, occurrenceOf) {
  const seen = row.api_content ?? null;
  const made = calls(row);
  return filled({
    role: row.role,
    content: seen ?? row.content,
    display: seen === null ? undefined : row.content,
    replay: replay(row),
    addressed: row.observed === 1 ? false : undefined,
    time: time(row.timestamp),
    platformMessage: row.platform_message_id,
    toolCalls: made.length ? made : undefined,
    toolResult: row.role === 'tool' ? result(row, occurrenceOf) : undefined,
    reasoning: row.reasoning,
    finishReason: row.finish_reason,
    compressedSummary: row._compressed_summary === 1 ? { replaces: 'unknown' } : undefined,
  });
}

function result(row, occurrenceOf) {
  const uid = row.tool_call_uid;
  return filled({
    call: typeof uid === 'string' && uid !== '' ? uid : occurrenceOf(row),
    providerId: row.tool_call_id,
    name: row.tool_name,
  });
}

/** The fields of a session. */
export function session(row) {
  const origin = json(row.origin_json);
  const known = filled({ origin: isObject(origin) ? origin : undefined, threadId: row.thread_id });
  const links = [lineage(row), instructions(row)].filter(Boolean);
  return filled({
    source: row.source,
    scope: row.source === 'subagent' ? 'subagent' : undefined,
    trigger: row.source === 'cron' || row.source === 'webhook' ? row.source : undefined,
    title: row.title,
    model: row.model,
    started: time(row.started_at),
    ended: time(row.ended_at),
    endReason: row.end_reason,
    cwd: row.cwd,
    branch: row.git_branch,
    channel: isPresent(row.source) && isPresent(row.chat_id)
      ? filled({ source: row.source, chat: row.chat_id, type: row.chat_type, thread: row.thread_id })
      : undefined,
    summary: true,
    counts: counts(row),
    cost: cost(row),
    links: links.length ? links : undefined,
    hermes: Object.keys(known).length ? known : undefined,
  });
}

function lineage(row) {
  const parent = row.parent_session_id;
  if (typeof parent !== 'string') return undefined;
  const config = json(row.model_config);
  const markers = { _branched_from: 'fork', _delegate_from: 'spawn', _reset_from: 'reset' };
  const marker = Object.keys(markers).find((name) => isObject(config) && config[name] === parent);
  return { rel: marker ? markers[marker] : 'relatedUnknown', to: { type: 'session', key: parent } };
}

function instructions(row) {
  const hash = row.system_prompt_hash;
  return typeof hash === 'string' ? { rel: 'instructions', to: { type: 'instructions', key: hash } } : undefined;
}

/** The fields of a row of usage by model. */
export function usage(row) {
  const dimensions = ['session_id', 'model', 'billing_provider', 'billing_base_url', 'billing_mode', 'task'];
  const stored = ['cost_status', 'cost_source', 'estimated_cost_usd', 'actual_cost_usd', 'first_seen', 'last_seen'];
  const kept = filled(Object.fromEntries(stored.map((name) => [name, row[name]])));
  return filled({
    summary: true,
    usageScope: 'session',
    dimensions: Object.fromEntries(dimensions.filter((name) => name in row).map((name) => [name, row[name]])),
    counts: counts(row, 'tool_call_count'),
    cost: cost(row),
    hermes: Object.keys(kept).length ? { modelUsage: kept } : undefined,
  });
}

function counts(row, except) {
  const found = filled(Object.fromEntries(COUNTS.filter((name) => name !== except).map((name) => [name, row[name]])));
  return Object.keys(found).length ? found : undefined;
}

function cost(row) {
  const status = row.cost_status;
  if (status === 'included') return { amount: 0, basis: 'included' };
  const amount = { actual: row.actual_cost_usd, estimated: row.estimated_cost_usd }[status];
  if (typeof amount !== 'number' && !(isObject(amount) && '$real' in amount)) return undefined;
  return { amount, basis: status === 'actual' && PROVIDER.has(row.cost_source) ? 'provider' : status };
}

/** The fields of a receipt. */
export function receipt(row) {
  return { links: [{ rel: 'execution', to: { type: 'execution', key: keyPart(row.execution_id) } }] };
}

function isPresent(value) {
  return value !== null && value !== undefined;
}

/** The members that hold something: an absent value has no member. */
function filled(members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => isPresent(value)));
}
