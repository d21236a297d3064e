-- What the native sources hold, as the census read it. The tables that follow a format's own tables
-- (native_message and the like) are made from the descriptor's native shape.

CREATE TABLE native_capture (
    capture, producer, alias, package, version, installation, root
);

-- One row for each run of a converter: a store, or a home.
CREATE TABLE native_run (
    run INTEGER PRIMARY KEY,
    format, source,
    snapshot,                   -- the position of current state
    namespace, basis
);

CREATE TABLE native_source (
    source INTEGER PRIMARY KEY, run INTEGER, path, format, status, reason,
    priority,                   -- compact JSON of what the format's document says, or NULL
    home,                       -- the home that it lies in; empty for the root itself
    inside                      -- its path relative to that home
);

-- One row for each file whose units are the file itself or its lines.
CREATE TABLE native_file (
    run INTEGER NOT NULL,
    source INTEGER NOT NULL,
    tab,                        -- its kind
    form,                       -- what a unit is: file or line
    units INTEGER NOT NULL,
    unreadable INTEGER NOT NULL
);

-- What a file says about its home, whether or not it is a unit: true and false as 1 and 0, NULL for what it does not
-- say; no rows where the file cannot be read.
CREATE TABLE native_fact (source INTEGER NOT NULL, name, value);

-- What the format's document says of the worth of entity types.
CREATE TABLE native_priority (format, etype, signal, noise);

-- The first place of each member, and of each kind of line, that the native shape does not know.
CREATE TABLE native_name (
    run INTEGER NOT NULL,
    code, tab, line, name,
    source INTEGER NOT NULL, key, unit INTEGER,
    PRIMARY KEY (run, code, tab, line, name)
);

CREATE TABLE native_table (
    run INTEGER NOT NULL,
    tab,
    class,                      -- converted, context, derived or unknown (converted as it is)
    entity, family, reason,
    units INTEGER NOT NULL,     -- read
    unreadable INTEGER NOT NULL -- known to be there and not readable
);

-- One row for each native unit of a converted table or file.
CREATE TABLE native_unit (
    unit INTEGER PRIMARY KEY,   -- in native order within its table
    run INTEGER NOT NULL,
    source INTEGER NOT NULL,
    tab,
    key,                        -- compact JSON of the locator's key
    ekey,                       -- what entity.key must be
    etype, family,
    position,                   -- what the transcript's position must be; NULL for current state
    immutable INTEGER NOT NULL, -- 1 for records that never change
    stream INTEGER NOT NULL,    -- the stream it is in
    digest
);

-- One row for each column of a native table that holds units.
CREATE TABLE native_column (
    run INTEGER NOT NULL,
    tab, col,
    known INTEGER               -- whether the shape knows it; NULL in a table that the shape does not know
);

-- One row for each stream that the units call for.
CREATE TABLE native_stream (
    stream INTEGER PRIMARY KEY, -- over all runs
    run INTEGER NOT NULL,
    session,                    -- NULL for the store's own stream
    unit INTEGER NOT NULL,      -- the first of its units
    units INTEGER NOT NULL      -- how many it has
);

-- One row for each unit that is, by its parents, its own ancestor.
CREATE TABLE native_cycle (
    cycle INTEGER NOT NULL,     -- the first unit of the circle
    unit INTEGER NOT NULL
);

CREATE TABLE native_lost (
    run INTEGER NOT NULL,
    source INTEGER NOT NULL,
    tab, from_key, to_key,
    units,                      -- NULL where the count is unknown
    unit INTEGER NOT NULL       -- the number of the unit behind it, if there is one
);

CREATE TABLE native_notice (
    run INTEGER, source INTEGER, code, tab, key, unit INTEGER, col, detail
);

-- The descriptor's destinations, and whether any JSON will do or an object only.
CREATE TABLE native_destination (name, kind);
