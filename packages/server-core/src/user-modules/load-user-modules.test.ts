import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ModuleRegistry } from "../modules/module-registry.ts";
import { registryFor } from "./load-user-modules.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "modules-"));
});
afterEach(() => rm(folder, { recursive: true }));

const none = new ModuleRegistry([], {
  names: ["admin-server/module"],
  url: new URL("../testing/module-api.ts", import.meta.url).href,
});
const file = (name: string, text: string) => writeFile(join(folder, name), text);
const ids = async (...names: string[]) =>
  (await registryFor(none, names, [folder])).modules.map(({ id }) => id);

function moduleText(id: string): string {
  return `import { defineModule, z, type HttpHandler } from "admin-server/module";
export default defineModule({
  id: ${JSON.stringify(id)},
  config: z.strictObject({ greeting: z.string().describe("What to say.") }),
  provision: ({ greeting }): HttpHandler => ({ handle: () => { throw new Error(greeting) } }),
});`;
}

test("TypeScript and JavaScript files, several modules of one file, and packages", async () => {
  await file("hello.ts", moduleText("http.handlers.hello"));
  await file(
    "two.mjs",
    `import { defineModule, z } from "admin-server/module";
export default ["a", "b"].map((name) => defineModule({ id: "x." + name, config: z.unknown(), provision: () => ({}) }));`,
  );
  const packageFolder = join(folder, "node_modules", "@me", "greet");
  await mkdir(packageFolder, { recursive: true });
  await writeFile(
    join(packageFolder, "package.json"),
    JSON.stringify({ name: "@me/greet", type: "module", exports: { ".": { import: "./main.js" } } }),
  );
  await writeFile(
    join(packageFolder, "main.js"),
    moduleText("http.handlers.greet").replace(/, type \w+|: HttpHandler/g, ""),
  );
  expect(await ids("./hello.ts", join(folder, "two.mjs"), "@me/greet")).toEqual([
    "http.handlers.hello",
    "x.a",
    "x.b",
    "http.handlers.greet",
  ]);
});

test("a changed file is loaded anew, an unchanged one is the same", async () => {
  await file("m.ts", moduleText("x.first"));
  const first = (await registryFor(none, ["./m.ts"], [folder])).modules[0];
  expect((await registryFor(none, ["./m.ts"], [folder])).modules[0]).toBe(first);
  await file("m.ts", moduleText("x.second"));
  await utimes(join(folder, "m.ts"), new Date(), new Date(Date.now() + 5_000));
  expect(await ids("./m.ts")).toEqual(["x.second"]);
});

test("a package that the working folder lacks is found in the folder of installed packages, a file is not", async () => {
  const installed = join(folder, "installed");
  const packageFolder = join(installed, "node_modules", "greet");
  await mkdir(packageFolder, { recursive: true });
  await writeFile(join(packageFolder, "package.json"), '{"name":"greet","exports":"./main.mjs"}');
  const text = moduleText("http.handlers.greet").replace(/, type \w+|: HttpHandler/g, "");
  await writeFile(join(packageFolder, "main.mjs"), text);
  await writeFile(join(installed, "file.mjs"), text);
  const from = (name: string) => registryFor(none, [name], [folder, installed]);
  expect((await from("greet")).modules.map(({ id }) => id)).toEqual(["http.handlers.greet"]);
  await expect(from("./file.mjs")).rejects.toThrow("Cannot find module");
  await expect(from("no-such-package")).rejects.toThrow(`imported from ${folder}/_`);
});

describe("refuses", () => {
  test.each([
    ["a file that is not there", "./nope.ts", undefined, "Cannot find module"],
    ["a package that is not there", "no-such-package", undefined, "Cannot find package 'no-such-package'"],
    ["bad syntax", "./m.ts", "export default {\n  id: \n}", "m.ts"],
    [
      "TypeScript that is more than types",
      "./m.ts",
      "export enum E { A }",
      "enum is not supported in strip-only mode",
    ],
    ["one that throws", "./m.ts", "throw new Error('no luck')", "loading module './m.ts': no luck"],
    ["one that throws nothing", "./m.ts", "throw undefined", "loading module './m.ts': undefined"],
    ["no default export", "./m.ts", "export const id = 1", "its default export is neither a module"],
    [
      "no schema",
      "./m.ts",
      "export default { id: 'x.y', provision() {} }",
      "its default export is neither a module",
    ],
    ["an odd id", "./m.ts", moduleText("x..y"), "its default export is neither a module"],
    ["an import that is not there", "./m.ts", "import './gone.ts'", "Cannot find module"],
    ["a URL", "https://example.com/m.js", undefined, "expected the path of a file or the name of a package"],
    ["code in the name", "data:text/javascript,export default 1", undefined, "expected the path of a file"],
  ])("%s", async (_, name, text, message) => {
    if (text !== undefined) {
      await file("m.ts", text);
    }
    await expect(ids(name)).rejects.toMatchObject({
      code: "MODULE_LOAD",
      path: "/config/modules/0",
      message: expect.stringContaining(message),
    });
  });

  test("an id that is there already", async () => {
    await file("m.ts", moduleText("x.y"));
    await expect(ids("./m.ts", join(folder, "m.ts"))).rejects.toMatchObject({ code: "MODULE_DUPLICATE" });
  });
});

test("no names, no change", async () => {
  expect(await registryFor(none, [], [folder])).toBe(none);
});
