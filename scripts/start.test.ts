import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const scripts = fileURLToPath(new URL(".", import.meta.url));

test("npm start finds the launcher in a folder whose name has signs of addresses", () => {
  const root = mkdtempSync(join(tmpdir(), "a#100% é?"));
  try {
    const launcher = join(root, "packages", "launcher", "bin");
    mkdirSync(launcher, { recursive: true });
    mkdirSync(join(root, "scripts"));
    for (const name of ["start.mjs", "clickhouse-option.mjs", "platform.mjs"]) {
      cpSync(join(scripts, name), join(root, "scripts", name));
    }
    // Everything is installed and built already.
    writeFileSync(
      join(root, "scripts", "prepare.mjs"),
      `export const root = ${JSON.stringify(root)}; export const prepare = async () => {};`,
    );
    writeFileSync(join(launcher, "launcher.ts"), "console.log(process.argv.slice(2).join());");
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, "scripts", "start.mjs"), "--clickhouse", "http://ch:8123"],
      { encoding: "utf8" },
    );
    expect(stdout, stderr).toBe("--clickhouse,http://ch:8123\n");
  } finally {
    rmSync(root, { recursive: true });
  }
});
