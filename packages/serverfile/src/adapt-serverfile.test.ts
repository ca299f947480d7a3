import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { adaptServerfile } from "../../admin-server/src/testing/serverfile.ts";

const folder = new URL("golden/", import.meta.url);

function read(name: string): string {
  return readFileSync(new URL(name, folder), "utf8");
}

/** Each `golden/x.serverfile` becomes `golden/x.json`, which Caddy 2.11.9 made. */
describe("golden", () => {
  const names = readdirSync(folder).filter((name) => name.endsWith(".serverfile"));

  test("there are many", () => {
    expect(names.length).toBeGreaterThanOrEqual(150);
  });

  test.each(names)("%s", (name) => {
    const { result } = adaptServerfile(Buffer.from(read(name)), { filename: "Serverfile" });
    expect(result).toEqual(JSON.parse(read(name.replace(/serverfile$/, "json"))));
  });
});
