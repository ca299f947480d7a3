// deploy/systemd: checked with systemd's own tools, if they are installed, and compared with the processes.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { environmentOf, processNames } from "./process-facts.ts";

const units = join(import.meta.dirname, "..", "..", "..", "..", "deploy", "systemd");
const folder = mkdtempSync(join(tmpdir(), "units-"));
const systemd = Number(
  /^systemd (\d+)/.exec(
    spawnSync("systemd-analyze", ["--version"], { encoding: "utf8" }).stdout ?? "",
  )?.[1] ?? 0,
);
/** Exposure on a scale to ten; systemd calls values up to 4.4 OK. */
const mostExposure = "2.0";

afterAll(() => {
  rmSync(folder, { recursive: true });
});

test("Each process has a unit", () => {
  expect(readdirSync(units).sort()).toEqual(processNames.map((name) => `${name}.service`).sort());
});

describe.each(processNames)("%s", (name) => {
  const text = readFileSync(join(units, `${name}.service`), "utf8");

  test("its program has every variable that is set, and data lies in its own folder", () => {
    const known = environmentOf(name);
    for (const [, variable = "", value = ""] of text.matchAll(/^Environment=([A-Z_]+)=(.*)$/gm)) {
      expect(known(variable), variable).toBe(true);
      const stateFolder = `/var/lib/${/^StateDirectory=(.+)$/m.exec(text)?.[1]}`;
      expect(value.startsWith("/") ? value : stateFolder).toMatch(new RegExp(`^${stateFolder}(/|$)`));
    }
    expect(text).toContain(`EnvironmentFile=-/etc/tracing/${name}.env\n`);
  });

  test.skipIf(systemd < 252)(
    `systemd understands it, and gives it little room (systemd-analyze ${systemd})`,
    () => {
      // The unit's program is not installed on this machine.
      const unit = join(folder, `${name}.service`);
      writeFileSync(unit, text.replace(/\/usr\/local\/bin\/\S+/g, "/bin/true"));
      const verified = spawnSync("systemd-analyze", ["verify", "--man=no", unit], { encoding: "utf8" });
      expect(verified.stderr.split("\n").filter((line) => line.includes(name))).toEqual([]);
      expect(verified.status).toBe(0);
      execFileSync(
        "systemd-analyze",
        ["security", "--offline=true", `--threshold=${Number(mostExposure) * 10}`, unit],
        { encoding: "utf8" },
      );
    },
  );
});
