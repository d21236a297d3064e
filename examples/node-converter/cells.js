// Reads SQLite cells without losing anything, and writes them as the record stream's cell values.

const LARGEST = 2n ** 53n;
const DEEPEST = 500;

/** The SELECT expressions for a column: its type, and its value with text as bytes (better-sqlite3 would repair it). */
export function expressions(column) {
  const name = quoted(column);
  return `typeof(${name}), CASE typeof(${name}) WHEN 'text' THEN CAST(${name} AS BLOB) ELSE ${name} END`;
}

export function quoted(name) {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A cell as JSON: null, number or text as they are; what JSON cannot say as a tagged value. */
export function cell(type, value, decoder) {
  switch (type) {
    case 'null':
      return null;
    case 'integer':
      return value >= -LARGEST && value <= LARGEST ? Number(value) : { $int: String(value) };
    case 'real':
      return Number.isFinite(value) ? value : { $real: value > 0 ? 'Infinity' : '-Infinity' };
    case 'blob':
      return { $blob: value.toString('base64') };
    default:
      try {
        return decoder.decode(value);
      } catch {
        return { $text: value.toString('base64') };
      }
  }
}

/** A key column in a locator or an entity key: text and tags as they are, numbers in decimal. */
export function keyPart(value) {
  if (typeof value === 'number') return String(value);
  if (value !== null && typeof value === 'object' && '$int' in value) return value.$int;
  return value;
}

/**
 * What a JSON column holds, or undefined where it holds no JSON, or JSON that is nested too deep. Half surrogate pairs
 * become U+FFFD. Integers beyond 2^53 lose their last digits: JSON.parse has no other numbers.
 */
export function json(value) {
  if (typeof value !== 'string') return undefined;
  try {
    return wellFormed(JSON.parse(value), DEEPEST);
  } catch {
    return undefined;
  }
}

function wellFormed(value, depth) {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('beyond every number');
  if (value === null || typeof value !== 'object') return value;
  if (depth === 0) throw new RangeError('nested too deep');
  if (Array.isArray(value)) return value.map((item) => wellFormed(item, depth - 1));
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([name, item]) => [name.toWellFormed(), wellFormed(item, depth - 1)]));
}

export function isObject(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Seconds since 1970 as an instant with six decimals; undefined where the cell is no such time. */
export function time(value) {
  if (typeof value !== 'number' || value < 0 || value > 253402300799) return undefined;
  // toFixed works on the exact value of the double, and rounds a tie up. The contract wants ties to even, and the
  // only doubles that lie on a tie of the seventh decimal are the odd multiples of 1/128.
  let [seconds, fraction] = value.toFixed(6).split('.');
  if (Number.isInteger(value * 128) && (value * 128) % 2 === 1 && Number(fraction) % 2 === 1) {
    fraction = String(Number(fraction) - 1).padStart(6, '0');
  }
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${fraction}Z`;
}
