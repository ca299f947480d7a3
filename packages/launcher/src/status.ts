import { answers } from "./answers.ts";
import type { Service } from "./services.ts";

/**
 * Prints a line for each process with a health URL.
 *
 * ```
 * tracing-query    healthy
 * tracing-storage  does not answer at http://127.0.0.1:17270/
 * ```
 *
 * @returns true when all processes are healthy
 */
export async function printStatus(
  services: readonly Service[],
  write: (text: string) => void = (text) => process.stdout.write(text),
): Promise<boolean> {
  const asked = services.flatMap(({ name, healthUrl }) =>
    healthUrl === undefined ? [] : [{ name, healthUrl }],
  );
  const healthy = await Promise.all(asked.map(({ healthUrl }) => answers(healthUrl)));
  const width = Math.max(...asked.map(({ name }) => name.length));
  for (const [index, { name, healthUrl }] of asked.entries()) {
    write(
      `${name.padEnd(width)}  ${healthy[index] === true ? "healthy" : `does not answer at ${healthUrl}`}\n`,
    );
  }
  return healthy.every(Boolean);
}
