import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** Prints the modules of ours that loading a module loads. */
const script = (path: string) => `
  import { registerHooks } from "node:module";
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  await import(${JSON.stringify(path)});
  console.log(JSON.stringify(loaded));
`;

async function loadedBy(file: string): Promise<string[]> {
  const path = join(import.meta.dirname, file);
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script(path)]);
  return (JSON.parse(stdout) as string[]).filter((url) =>
    /\/http-protocols\/src\/(?:quic|http3)\/|\/http-engine\/src\/h3\//.test(url),
  );
}

test("nothing of QUIC and HTTP/3 is loaded before a config asks for it", async () => {
  expect(await loadedBy("../http-app.ts")).toEqual([]);
  expect((await loadedBy("./h3-listener.ts")).length).toBeGreaterThan(30);
});
