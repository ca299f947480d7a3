import { isDeepStrictEqual } from "node:util";

function show(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part));
  return text === undefined ? String(value) : text.length > 600 ? `${text.slice(0, 600)} …` : text;
}

/** @throws when the two values are not deeply equal; the message shows both */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(actual, expected)) {
    throw new Error(`${what}: expected ${show(expected)}, got ${show(actual)}`);
  }
}

/** @throws when the text does not contain the part */
export function expectIncludes(actual: string, part: string, what: string): void {
  if (!actual.includes(part)) {
    throw new Error(`${what}: expected something with ${show(part)}, got ${show(actual)}`);
  }
}

/** Calls `ask` until it succeeds. @throws the last error after `withinMs` */
export async function eventually<T>(ask: () => Promise<T>, withinMs: number): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (Date.now() > end) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`${reason} (not within ${withinMs} ms)`, { cause: error });
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
