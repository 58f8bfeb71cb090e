/** Why the server did not do what was asked. */

/** Where in a text something is wrong. Both count from 1. */
export interface Place {
  line: number;
  column: number;
}

/** An error of the server's, or of the way to it. */
export class Failure extends Error {
  /** What kind it is, such as `SyntaxError`. */
  readonly kind: string;
  readonly status: number;
  /** Where in the query it is, if the server says so. */
  readonly place: Place | null;

  constructor(message: string, kind: string, status: number) {
    const said = /^line (\d+), column (\d+): ([\s\S]*)$/.exec(message);
    super(said?.[3] ?? message);
    this.kind = kind;
    this.status = status;
    this.place = said ? { line: Number(said[1]), column: Number(said[2]) } : null;
  }
}

/** Reads what the server said with a status that is no success. */
export function failureOf(status: number, body: string): Failure {
  try {
    const { message, detailedMessage, code, 'Exception-Class': kind } = JSON.parse(body);
    const name =
      typeof kind === 'string' ? kind.replace(/^mangrove\./, '') : typeof code === 'string' ? code : `HTTP ${status}`;
    return new Failure(String(detailedMessage ?? message ?? body), name, status);
  } catch {
    return new Failure(body.slice(0, 500) || `the server answered with status ${status}`, `HTTP ${status}`, status);
  }
}
