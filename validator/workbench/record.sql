-- What a converter said: one table for each part of the record stream. Times, texts and numbers stand as
-- validator.workbench.encoding writes them. Columns have no declared type where a value may be of any type,
-- so that SQLite never converts one side of a comparison.

CREATE TABLE record_stream (
    run INTEGER NOT NULL,       -- the run that declared it
    stream INTEGER NOT NULL,    -- its number in the stream
    line INTEGER NOT NULL,
    namespace, basis, session, agent
);

-- One row for each record line. Members of toolResult, channel and cost stand here too.
CREATE TABLE record (
    line INTEGER PRIMARY KEY,   -- over all runs of a capture, in order of arrival
    run INTEGER NOT NULL,
    at INTEGER NOT NULL,        -- the line's number in its own stream
    ord INTEGER NOT NULL,       -- order of the record; line until a mutant moves it
    stream INTEGER,
    family, position, etype, ekey,
    tab,                        -- the native table or kind, with key the unit's key as compact JSON
    key,
    unit INTEGER,               -- the native unit that the key names; NULL where there is none
    digest,                     -- of the whole native row or blob
    native_line,
    part_of, part_index, revision,
    role, content, display, replay, addressed, author, time, platform_message,
    calls,                      -- how many toolCalls; NULL without the member
    result,                     -- 1 with a toolResult
    result_call, result_provider, result_name,
    reasoning, finish,
    replaces,                   -- compressedSummary.replaces
    source, scope, "trigger", title, model, started, ended, end_reason, cwd, branch,
    channel,                    -- 1 with a channel
    channel_source, channel_chat, channel_type, channel_thread,
    root, summary, usage_scope, dimensions, counts,
    cost_amount, cost_basis,
    text, tags, project, name, input, answer,
    offset INTEGER, length INTEGER   -- where the line stands in the kept stream
);

CREATE TABLE record_call (
    line INTEGER NOT NULL REFERENCES record (line) ON DELETE CASCADE,
    idx INTEGER NOT NULL,
    occurrence, provider_id, name, arguments
);

CREATE TABLE record_link (
    line INTEGER NOT NULL REFERENCES record (line) ON DELETE CASCADE,
    idx INTEGER NOT NULL,
    rel, to_type, to_key
);

CREATE TABLE record_count (
    line INTEGER NOT NULL REFERENCES record (line) ON DELETE CASCADE,
    name, value
);

CREATE TABLE record_dimension (
    line INTEGER NOT NULL REFERENCES record (line) ON DELETE CASCADE,
    name, value
);

-- A fact under the producer's alias, or under any other name that the descriptor may or may not declare.
CREATE TABLE record_destination (
    line INTEGER NOT NULL REFERENCES record (line) ON DELETE CASCADE,
    name,
    kind,                       -- the JSON type of the value
    value
);

CREATE TABLE record_gap (
    run INTEGER NOT NULL,
    at INTEGER NOT NULL,
    source, tab,
    from_key, to_key,           -- compact JSON of the locators' keys
    from_unit INTEGER,          -- the first unit at or behind its start that could be read,
    to_unit INTEGER,            -- and the last at or before its end; less than from_unit where it covers none;
                                -- both NULL where the keys name no place
    units, reason
);

CREATE TABLE record_notice (run INTEGER NOT NULL, at INTEGER NOT NULL, code, source, tab, key);

-- Who spoke, from the begin and end lines.
CREATE TABLE record_run (run INTEGER PRIMARY KEY, converter, version, producer, format, records INTEGER);
