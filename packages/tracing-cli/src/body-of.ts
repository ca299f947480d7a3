import { CliError } from "./cli-error.ts";

/**
 * Reads a body and decodes it as UTF-8. The limit is checked while the body arrives, so an endless answer cannot fill
 * memory.
 * @param limit maximum number of bytes
 * @throws CliError when the body is longer than the limit
 */
export async function bodyOf(response: Response, limit: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > limit) {
      throw new CliError(`the answer is longer than ${limit} bytes: ask for less at once`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
