import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { relative, sep } from "node:path";
import { pipeline } from "node:stream/promises";

/** Lines for `sha256sum --check`, which must run in the folder to which the names are relative. */
export async function checksums(folder: string, files: readonly string[]): Promise<string> {
  const lines: string[] = [];
  for (const file of files.toSorted()) {
    const hash = createHash("sha256");
    await pipeline(createReadStream(file), hash);
    lines.push(`${hash.digest("hex")}  ${relative(folder, file).split(sep).join("/")}\n`);
  }
  return lines.join("");
}
