import { EventEmitter, once } from "node:events";
import type { Health, HealthStatus } from "lifecycle";
import { expect, test } from "vitest";
import { StorageWatch } from "./storage-watch.ts";

/** Health that tells of its changes. */
class RecordedHealth extends EventEmitter implements Health {
  status: HealthStatus = "available";
  readonly changes: (string | undefined)[] = [];

  set(status: HealthStatus, reason?: string): void {
    if (status !== this.status) {
      this.status = status;
      this.changes.push(reason ?? status);
      this.emit("change");
    }
  }
}

test("health follows the store, away and back, one change each", async () => {
  const health = new RecordedHealth();
  let isAway = true;
  let looks = 0;
  const ready = async () => {
    looks++;
    if (isAway) {
      throw new Error("connection refused");
    }
  };
  const watch = new StorageWatch({ store: { ready }, health, name: "storage at x", intervalMs: 1 });
  watch.start();
  await once(health, "change");
  await expect.poll(() => looks).toBeGreaterThan(3);
  isAway = false;
  await once(health, "change");
  watch.stop();
  watch.unreachable(new Error("late"));
  expect(health.changes).toEqual(["storage at x: connection refused", "available"]);
});

test("requests tell of the store before the next look does", () => {
  const health = new RecordedHealth();
  const watch = new StorageWatch({ store: { ready: async () => {} }, health, name: "storage" });
  watch.unreachable(new Error("connection reset"));
  watch.unreachable(new Error("connection refused"));
  watch.answered();
  watch.answered();
  expect(health.changes).toEqual(["storage: connection reset", "available"]);
});
