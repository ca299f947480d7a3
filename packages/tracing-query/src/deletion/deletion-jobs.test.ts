import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createLogger } from "lifecycle";
import type { DeletionReport, DeletionRun } from "storage/clickhouse";
import { StorageError } from "storage/errors";
import { expect, onTestFinished, test, vi } from "vitest";
import { DeletionJobs, type DeletionOrder } from "./deletion-jobs.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
const order: DeletionOrder = {
  ...{ tenant: "acme", user: "ann", deletes: true },
  selection: { tenant: "acme", attribute: { key: "user.id", value: "ben" } },
};

function reportOf(remaining: number, away: readonly string[] = []): DeletionReport {
  const table = { table: "spans", url: "http://a", rows: 3, remaining, proof: "SELECT 0" };
  return { tables: [table], traces: 2, away, leavesMinutes: false };
}

/**
 * Jobs whose store answers when the test says so.
 * @param auditNames names of the files that take the lines of the audit, one after the other; the last takes the rest
 */
async function openJobs(...auditNames: string[]) {
  const folder = await mkdtemp(join(tmpdir(), "deletion-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const calls: { run: DeletionRun; done: PromiseWithResolvers<DeletionReport> }[] = [];
  const auditFiles = (auditNames.length > 0 ? auditNames : ["audit.log"]).map((name) => join(folder, name));
  const auditFile = auditFiles[0] ?? "";
  const jobs = new DeletionJobs({
    get auditFile() {
      return (auditFiles.length > 1 ? auditFiles.shift() : auditFiles[0]) ?? "";
    },
    log,
    run(_, run) {
      const done = Promise.withResolvers<DeletionReport>();
      run.signal?.addEventListener("abort", () => done.reject(run.signal?.reason));
      calls.push({ run, done });
      return done.promise;
    },
  });
  const states = async () =>
    (await readFile(auditFile, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).state);
  return { jobs, calls, folder, auditFile, states };
}

test.each([
  [reportOf(0), "done"],
  [reportOf(1), "incomplete"],
  [reportOf(0, ["http://b"]), "incomplete"],
] as const)("a deletion ends: %#", async (report, state) => {
  const { jobs, calls, auditFile, states } = await openJobs();
  const job = await jobs.add(order);
  await vi.waitFor(() => expect(calls).toHaveLength(1));
  calls[0]?.run.onProgress?.("spans", 7);
  expect(jobs.get(job.id, "acme")).toMatchObject({
    state: "running",
    progress: { table: "spans", partsToDo: 7 },
  });
  calls[0]?.done.resolve(report);
  await vi.waitFor(async () => expect(await states()).toEqual(["begun", state]));
  expect(jobs.list("acme")).toMatchObject([{ id: job.id, state }]);
  expect(jobs.list("beta")).toEqual([]);
  expect(() => jobs.get(job.id, "beta")).toThrow("no such deletion");
  const text = await readFile(auditFile, "utf8");
  expect(text).not.toContain("ben");
  expect(text).toContain('"who":"ann"');
  expect((await stat(auditFile)).mode & 0o777).toBe(0o600);
});

test("one runs, ten wait, the next is refused; a waiting one is cancelled before it begins", async () => {
  const { jobs, calls } = await openJobs();
  const first = await jobs.add(order);
  await vi.waitFor(() => expect(first.state).toBe("running"));
  const waiting = await Promise.all(Array.from({ length: 10 }, () => jobs.add(order)));
  await expect(jobs.add(order)).rejects.toThrow("10 deletions wait already");
  const [one] = waiting;
  await jobs.cancel(one?.id ?? "", "acme", "eve");
  expect(one?.state).toBe("cancelled");
  await jobs.add(order);
  await jobs.cancel(first.id, "acme", "eve");
  await vi.waitFor(() => expect(first.state).toBe("cancelled"));
  await vi.waitFor(() => expect(calls).toHaveLength(2));
  await jobs.close();
  expect(jobs.list("acme").map(({ state }) => state)).toEqual(Array.from({ length: 12 }, () => "cancelled"));
  expect(calls).toHaveLength(2);
});

test("orders that come together do not pass the limit", async () => {
  const { jobs } = await openJobs();
  const added = await Promise.allSettled(Array.from({ length: 30 }, () => jobs.add(order)));
  expect(added.filter(({ status }) => status === "fulfilled").length).toBeLessThanOrEqual(11);
  await jobs.close();
});

test("a failure of the store is told, and the next job runs", async () => {
  const { jobs, calls, states } = await openJobs();
  const [one, other] = [await jobs.add(order), await jobs.add({ ...order, deletes: false })];
  await vi.waitFor(() => expect(calls).toHaveLength(1));
  calls[0]?.done.reject(new StorageError("STORAGE_UNAVAILABLE", "no shard answers"));
  await vi.waitFor(() => expect(calls).toHaveLength(2));
  expect(one).toMatchObject({ state: "failed", error: "no shard answers" });
  expect(calls[1]?.run.isDryRun).toBe(true);
  calls[1]?.done.resolve(reportOf(3));
  await vi.waitFor(() => expect(other.state).toBe("counted"));
  await vi.waitFor(async () => expect(await states()).toEqual(["begun", "begun", "failed", "counted"]));
});

test("without an audit nothing is deleted", async () => {
  const { jobs, calls } = await openJobs("no/folder/audit.log");
  await expect(jobs.add(order)).rejects.toThrow("ENOENT");
  expect([calls, jobs.list("acme")]).toEqual([[], []]);
});

test.skipIf(process.platform === "win32")(
  "a job whose line is not in the audit yet does not begin when the job before it ends (skipped on Windows)",
  async () => {
    const { jobs, calls, folder, states } = await openJobs("audit.log", "pipe", "audit.log");
    // A line for a named pipe waits until somebody reads the pipe. Then it fails, because a pipe cannot be synced.
    const pipe = join(folder, "pipe");
    await promisify(execFile)("mkfifo", [pipe]);
    const first = await jobs.add(order);
    const second = jobs.add(order);
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    calls[0]?.done.resolve(reportOf(0));
    await vi.waitFor(async () => expect(await states()).toEqual(["begun", "done"]));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(jobs.list("acme").map(({ state }) => state)).toEqual(["waiting", "done"]);

    const [line, outcome] = await Promise.allSettled([readFile(pipe, "utf8"), second]);
    expect(line).toMatchObject({ value: expect.stringContaining('"state":"begun"') });
    expect(outcome).toMatchObject({ status: "rejected", reason: { code: "EINVAL" } });
    expect(jobs.list("acme")).toEqual([first]);
    expect(calls).toHaveLength(1);
  },
);

test("ended jobs do not fill the memory", async () => {
  const { jobs, calls } = await openJobs();
  for (let index = 0; index < 120; index++) {
    await jobs.add(order);
    await vi.waitFor(() => expect(calls).toHaveLength(index + 1), { interval: 1 });
    calls[index]?.done.resolve(reportOf(0));
    await vi.waitFor(() => expect(jobs.list("acme")[0]?.state).toBe("done"), { interval: 1 });
  }
  expect(jobs.list("acme").length).toBeLessThanOrEqual(101);
});
