import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Registry } from "@prometheus-io/client";
import { createLogger } from "lifecycle";
import { expect, onTestFinished, test } from "vitest";
import type { AskedAccess } from "./access.ts";
import { parseAccess } from "./access-file.ts";
import { AccessRules } from "./access-rules.ts";
import { OpenAccess } from "./open-access.ts";

const sha256 = (token: string) => createHash("sha256").update(token).digest("hex");

const file = {
  "marked-attributes": ["user.*"],
  proxy: { addresses: ["10.0.0.0/8", "fd00::/8", "127.0.0.1"], "groups-header": "X-Groups" },
  grants: [
    { role: "viewer", anyone: true, tenants: ["acme"] },
    { role: "analyst", groups: ["dev"] },
    { role: "admin", users: ["root"] },
    { role: "admin", groups: ["ops"], "may-delete": true },
  ],
  tokens: [
    { name: "ci", role: "viewer", sha256: sha256("t1"), tenants: ["acme"] },
    { name: "bot", role: "analyst", sha256: sha256("t2") },
  ],
};
const rules = new AccessRules(parseAccess(JSON.stringify(file)));

type Headers = Readonly<Record<string, string | readonly string[]>>;

function asked(headers: Headers, { peer = "10.1.2.3", tenant = "" } = {}): AskedAccess {
  return { peer, tenant, header: (name) => [headers[name] ?? []].flat() };
}

const ann = (groups: string) => ({ "x-forwarded-user": "ann", "x-groups": groups });

test.each<[string, AskedAccess, string]>([
  ["a group", asked(ann("dev")), "analyst ann"],
  ["several groups: the highest counts", asked(ann("dev, ops")), "admin ann may delete"],
  ["a user", asked({ "x-forwarded-user": "root" }), "admin root"],
  ["anyone, of one tenant", asked(ann(""), { tenant: "acme" }), "viewer ann"],
  ["anyone, of another tenant", asked(ann(""), { tenant: "beta" }), "403"],
  ["a group that is not there", asked(ann("de,v")), "403"],
  ["a group in upper case", asked(ann("DEV")), "403"],
  ["no user", asked({ "x-groups": "ops" }), "401"],
  ["an empty user", asked({ "x-forwarded-user": " ", "x-groups": "ops" }), "401"],
  ["groups twice", asked({ "x-forwarded-user": "ann", "x-groups": ["dev", "ops"] }), "401"],
  ["users twice", asked({ "x-forwarded-user": ["ann", "root"] }), "401"],
  ["headers of a stranger", asked(ann("ops"), { peer: "11.0.0.1" }), "401"],
  ["headers of nobody", asked(ann("ops"), { peer: "" }), "401"],
  ["the proxy over a mapped address", asked(ann("dev"), { peer: "::ffff:10.0.0.1" }), "analyst ann"],
  ["the proxy over IPv6", asked(ann("dev"), { peer: "fd00::1" }), "analyst ann"],
  ["a token from anywhere", asked({ authorization: "Bearer t2" }, { peer: "11.0.0.1" }), "analyst bot"],
  ["a token for one tenant", asked({ authorization: "Bearer t1" }, { tenant: "acme" }), "viewer ci"],
  ["a token for another tenant", asked({ authorization: "Bearer t1" }, { tenant: "beta" }), "403"],
  ["an unknown token", asked({ authorization: "Bearer t3" }), "401"],
  ["two tokens", asked({ authorization: ["Bearer t1", "Bearer t2"] }), "401"],
  ["the digest of a token", asked({ authorization: `Bearer ${sha256("t2")}` }), "401"],
  [
    "the login's own token beside the proxy's headers",
    asked({ ...ann("dev"), authorization: "Bearer x" }),
    "analyst ann",
  ],
  ["too many groups", asked(ann("a,".repeat(1_001))), "401"],
])("%s", (_, request, expected) => {
  const found = rules.check(request, "viewer");
  const text =
    "status" in found
      ? String(found.status)
      : `${found.role} ${found.user}${found.mayDelete ? " may delete" : ""}`;
  expect(text).toBe(expected);
});

test("a need is met by its role and those above, deletion only by its own right", () => {
  const statusOf = (headers: Headers, need: "viewer" | "analyst" | "admin" | "delete" | undefined) => {
    const found = rules.check(asked(headers), need);
    return "status" in found ? found.status : 200;
  };
  const needs = ["viewer", "analyst", "admin", "delete", undefined] as const;
  expect(needs.map((need) => statusOf(ann("dev"), need))).toEqual([200, 200, 403, 403, 403]);
  expect(needs.map((need) => statusOf({ "x-forwarded-user": "root" }, need))).toEqual([
    200, 200, 200, 403, 403,
  ]);
  expect(needs.map((need) => statusOf(ann("ops"), need))).toEqual([200, 200, 200, 200, 403]);
});

test.each([
  [{ grants: [{ role: "admin" }] }, "grants.0: names nobody"],
  [{ grants: [{ role: "admin", groups: ["a"] }] }, "proxy: is missing"],
  [
    { ...file, grants: [{ role: "viewer", groups: ["a"], "may-delete": true }] },
    "grants.0.may-delete: needs the role admin",
  ],
  [{ ...file, proxy: { addresses: [] } }, "proxy.addresses"],
  [
    { ...file, proxy: { addresses: ["10.0.0.0/33"] } },
    "proxy.addresses.0: is neither an address nor a range",
  ],
  [{ tokens: [{ name: "a", role: "viewer", sha256: "t" }] }, "tokens.0.sha256: is not a SHA-256"],
  [
    { tokens: [file.tokens[0], { ...file.tokens[1], sha256: sha256("t1") }] },
    "bot has the sha256 of another token",
  ],
  [{ roles: [] }, 'Unrecognized key: "roles"'],
  [{ "marked-attributes": ["", "a"] }, "marked-attributes.0"],
  [{ ...file, grants: [{ role: "viewer", anyone: true, tenants: [] }] }, "grants.0.tenants"],
])("a file with a mistake is refused: %j", (contents, message) => {
  expect(() => parseAccess(JSON.stringify(contents))).toThrow(message);
});

test("a changed file is used, one with a mistake is not", async () => {
  const folder = await mkdtemp(join(tmpdir(), "access-"));
  const path = join(folder, "access.yaml");
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(path, JSON.stringify(file));
  const metrics = new Registry();
  const access = await OpenAccess.open(
    path,
    createLogger({ name: "test", level: "fatal", encoding: "json" }),
    metrics,
  );
  onTestFinished(() => access.close());
  const bot = () => "status" in access.check(asked({ authorization: "Bearer t2" }), "viewer");
  expect(bot()).toBe(false);
  await writeFile(path, "tokens: [");
  await access.look();
  expect([bot(), (await metrics.metrics()).includes("access_file_up_to_date 0")]).toEqual([false, true]);
  await writeFile(path, JSON.stringify({ ...file, tokens: [] }));
  await access.look();
  expect([bot(), (await metrics.metrics()).includes("access_file_up_to_date 1")]).toEqual([true, true]);
  expect(await metrics.metrics()).toContain('tracing_query_access_refused_total{status="401"} 1');
  await expect(
    OpenAccess.open(
      join(folder, "none"),
      createLogger({ name: "t", level: "fatal", encoding: "json" }),
      new Registry(),
    ),
  ).rejects.toThrow("--query.access-file");
});
