import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DeletionSelection } from "storage/clickhouse";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sampleStore } from "../../service/sample-store.ts";
import { sampleAccess, tokenHeaders } from "../../testing/guarded-store.ts";
import { sampleDeletion } from "../../testing/sample-deletion.ts";
import { openSampleServer, type SampleServer } from "../../testing/sample-server.ts";
import { sampleTenants } from "../../testing/sample-service.ts";

let folder: string;
let server: SampleServer;
const ran: DeletionSelection[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "deletion-"));
  const store = await sampleStore([]);
  const deletion = await sampleDeletion(store.reader, join(folder, "audit.log"), {
    async run(selection) {
      ran.push(selection);
      return { tables: [], traces: 0, away: [], leavesMinutes: false };
    },
  });
  server = await openSampleServer(store, {
    deletion,
    access: sampleAccess(),
    tenants: sampleTenants("acme", "beta"),
  });
  ran.length = 0;
});
afterAll(async () => {
  await server.stop(AbortSignal.abort());
  await rm(folder, { recursive: true });
});

async function order(body: unknown, role: "admin" | "deleter" = "deleter", tenant = "acme") {
  const response = await fetch(`${server.base}/api/deletion/v1/jobs`, {
    method: "POST",
    headers: { ...tokenHeaders(role), "x-tenant": tenant, "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

const id = "ab".repeat(16);

test.each([
  ["nothing", {}, "name what to delete"],
  ["only that it deletes", { delete: true }, "name what to delete"],
  ["no id", { traceIds: [] }, "traceIds"],
  ["an empty id", { traceIds: [""] }, "is blank"],
  ["a blank id beside one", { traceIds: [id, " "] }, "is blank"],
  ["an id that is null", { traceIds: null }, "traceIds"],
  ["an id of another length", { traceIds: ["abc"] }, "is no trace id"],
  ["1,501 ids", { traceIds: Array.from({ length: 1_501 }, () => id) }, "1500"],
  ["SQL", { traceIds: ["' OR 1=1 --"] }, "is no trace id"],
  ["a wildcard", { traceIds: ["*"] }, "is no trace id"],
  ["an empty value", { attribute: { key: "user.id", value: "" } }, "is blank"],
  ["a blank name", { attribute: { key: " ", value: "ann" } }, "is blank"],
  ["no value", { attribute: { key: "user.id" } }, "attribute.value"],
  ["a list as a value", { attribute: { key: "user.id", value: ["ann"] } }, "attribute.value"],
  ["a start alone", { start: 1 }, "needs both start and end"],
  ["an end alone", { end: 9_000_000_000_000_000 }, "needs both start and end"],
  ["an end before its start", { start: 2, end: 1 }, "ends before it begins"],
  ["a tenant and more", { wholeTenant: true, traceIds: [id] }, "stands alone"],
  ["not the tenant", { wholeTenant: false }, "wholeTenant"],
  ["another tenant", { tenant: "beta", traceIds: [id] }, "tenant"],
  ["a condition that is not known", { traceId: id }, "traceId"],
  ["no JSON", "traceIds=ab", "JSON"],
  ["a list", "[]", ""],
])("%s is refused", async (_, body, message) => {
  const { status, text } = await order(body);
  expect([status, text]).toEqual([400, expect.stringContaining(message)]);
  expect(ran).toEqual([]);
});

test("admins without the right may not delete, and others neither", async () => {
  const { status, text } = await order({ traceIds: [id], delete: true }, "admin");
  expect([status, text]).toEqual([403, expect.stringContaining("may-delete")]);
  expect(ran).toEqual([]);
});

test("the tenant is always that of the request, and sees only its own jobs", async () => {
  expect((await order({ traceIds: [id] })).status).toBe(200);
  expect((await order({ wholeTenant: true, delete: true }, "deleter", "beta")).status).toBe(200);
  await expect
    .poll(() => ran.map(({ tenant, traceIds }) => [tenant, traceIds]))
    .toEqual([
      ["acme", [id]],
      ["beta", undefined],
    ]);
  const list = async (tenant: string) => {
    const response = await fetch(`${server.base}/api/deletion/v1/jobs`, {
      headers: { ...tokenHeaders("deleter"), "x-tenant": tenant },
    });
    return ((await response.json()) as { jobs: { id: string; state: string; what: object }[] }).jobs;
  };
  expect(await list("acme")).toMatchObject([{ state: "counted", what: { traceIds: [id] } }]);
  const [job] = await list("beta");
  expect(job).toMatchObject({ state: "done", what: { wholeTenant: true } });
  const other = await fetch(`${server.base}/api/deletion/v1/jobs/${job?.id}/cancel`, {
    method: "POST",
    headers: { ...tokenHeaders("deleter"), "x-tenant": "acme", "content-type": "application/json" },
    body: "{}",
  });
  expect(other.status).toBe(404);
  expect(await readFile(join(folder, "audit.log"), "utf8")).toContain('"who":"deleter"');
});

test("without tenancy no tenant is deleted whole, and where it is off nothing is deleted", async () => {
  const store = await sampleStore([]);
  const deletion = await sampleDeletion(store.reader, join(folder, "other.log"));
  const single = await openSampleServer(store, { deletion, access: sampleAccess() });
  const off = await openSampleServer(store, { access: sampleAccess() });
  const ask = async ({ base }: SampleServer, body: object) => {
    const response = await fetch(`${base}/api/deletion/v1/jobs`, {
      method: "POST",
      headers: { ...tokenHeaders("deleter"), "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return [response.status, await response.text()];
  };
  expect(await ask(single, { wholeTenant: true })).toEqual([
    400,
    expect.stringContaining("would delete everything"),
  ]);
  expect(await ask(off, { traceIds: [id] })).toEqual([
    501,
    expect.stringContaining("--query.deletion.audit-file"),
  ]);
  await Promise.all([single, off].map((one) => one.stop(AbortSignal.abort())));
});
