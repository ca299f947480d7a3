import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** For tests: a folder that looks like a built console. The caller removes it. */
export async function makeConsoleFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "console-"));
  await mkdir(join(folder, "static"));
  await writeFile(join(folder, "index.html"), "<!doctype html><title>Console</title>");
  await writeFile(join(folder, "static", "index-Ab3_xy-9.js"), "console.log(1);");
  await writeFile(join(folder, "static", "icon.svg"), "<svg/>");
  await writeFile(join(folder, "secret.js"), "secret");
  return folder;
}
