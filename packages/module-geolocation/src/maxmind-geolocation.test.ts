import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "lifecycle";
import { ask } from "server-core/testing/ask";
import { locationFile } from "server-core/testing/location-file";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer } from "../../admin-server/src/testing/running-server.ts";
import { LocationDatabase } from "./location-database.ts";

let folder: string;
let file: string;
let running: RunningServer;

const munich = {
  country: { iso_code: "DE" },
  subdivisions: [{ iso_code: "BY" }, { iso_code: "09" }],
  location: { metro_code: 7 },
};
const facts = {
  "81.2.69.0/24": munich,
  "89.160.20.0/24": { country: { iso_code: "SE" }, autonomous_system_number: 29518 },
};

const tried: Readonly<Record<string, object>> = {
  de: { allow_countries: ["DE"] },
  notDe: { deny_countries: ["DE"] },
  both: { allow_countries: ["DE"], deny_countries: ["SE"] },
  unknown: { allow_countries: ["UNK"] },
  by: { allow_subdivisions: ["BY"] },
  not09: { deny_subdivisions: ["09"] },
  noSubdivision: { allow_subdivisions: ["UNK"] },
  metro: { allow_metro_codes: ["7"] },
  asn: { deny_asn: ["29518"] },
  inSeOf: { allow_countries: ["SE"], allow_asn: ["29518"] },
  all: {},
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "locations-"));
  file = join(folder, "test.mmdb");
  await writeFile(file, locationFile(facts));
  running = await RunningServer.start({
    apps: {
      http: {
        servers: {
          s: {
            listen: ["127.0.0.1:0"],
            trusted_proxies: { source: "static", ranges: ["127.0.0.0/8"] },
            routes: Object.entries(tried).map(([name, config]) => ({
              match: [{ maxmind_geolocation: { db_path: file, ...config } }],
              handle: [{ handler: "headers", response: { add: { matched: [name] } } }],
            })),
          },
        },
      },
    },
  });
});
afterAll(async () => {
  await running.close();
  await rm(folder, { recursive: true });
});

test.each([
  ["81.2.69.7", ["de", "both", "by", "metro", "asn", "all"]],
  ["89.160.20.1", ["notDe", "not09", "noSubdivision", "inSeOf", "all"]],
  ["10.0.0.1", ["notDe", "both", "unknown", "not09", "noSubdivision", "asn", "all"]],
  ["2001:db8::1", ["notDe", "both", "unknown", "not09", "noSubdivision", "asn", "all"]],
])("%s", async (address, matched) => {
  const { headers } = await ask(running.site, { headers: { "x-forwarded-for": address } });
  expect(String(headers.matched).split(", ")).toEqual(matched);
});

describe("the file", () => {
  test.each([
    ["is not there", () => join(folder, "none.mmdb"), "ENOENT"],
    ["is a folder", () => folder, folder],
  ])("that %s refuses the config with its path", async (_, path, message) => {
    await expect(
      LocationDatabase.open(path(), createLogger({ name: "t", level: "fatal", encoding: "json" })),
    ).rejects.toThrow(message);
  });

  test("that is replaced is read again, and damage leaves the old one", async () => {
    const database = await LocationDatabase.open(
      file,
      createLogger({ name: "t", level: "fatal", encoding: "json" }),
    );
    const replace = async (bytes: Buffer) => {
      await writeFile(join(folder, "next"), bytes);
      await rename(join(folder, "next"), file);
      await database.look();
    };
    await replace(locationFile({ "10.0.0.0/8": { country: { iso_code: "XX" } } }));
    expect([database.find("10.1.1.1")?.country?.iso_code, database.find("81.2.69.7")]).toEqual([
      "XX",
      undefined,
    ]);
    await replace(Buffer.from("no database"));
    expect(database.find("10.1.1.1")?.country?.iso_code).toBe("XX");
    database.close();
  });
});
