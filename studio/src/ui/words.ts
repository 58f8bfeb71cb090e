/** Numbers and times as people read them. */

/** A whole number with its thousands apart. */
export function count(number: number): string {
  return Math.round(number).toLocaleString('en-GB');
}

/** A number in at most four characters: 1.2k, 35M. */
export function brief(number: number): string {
  const size = Math.abs(number);
  if (size < 1000) return String(Math.round(number * 100) / 100);
  const [unit, name] = size < 1e6 ? [1e3, 'k'] : size < 1e9 ? [1e6, 'M'] : [1e9, 'G'];
  const scaled = number / unit;
  return `${Math.abs(scaled) < 10 ? Math.round(scaled * 10) / 10 : Math.round(scaled)}${name}`;
}

/** Bytes with a unit. */
export function bytes(number: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let [scaled, unit] = [number, 0];
  while (scaled >= 1024 && unit < units.length - 1) {
    scaled /= 1024;
    unit++;
  }
  return `${scaled < 10 && unit > 0 ? scaled.toFixed(1) : Math.round(scaled)} ${units[unit]}`;
}

/** A time that is given in milliseconds. */
export function duration(millis: number): string {
  if (millis < 1) return `${Math.round(millis * 1000)} µs`;
  if (millis < 1000) return `${millis < 10 ? Math.round(millis * 10) / 10 : Math.round(millis)} ms`;
  if (millis < 60_000) return `${(millis / 1000).toFixed(millis < 10_000 ? 2 : 1)} s`;
  return `${Math.floor(millis / 60_000)} min ${Math.round((millis % 60_000) / 1000)} s`;
}

/** `1 row`, `3 rows`. */
export function plural(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}
