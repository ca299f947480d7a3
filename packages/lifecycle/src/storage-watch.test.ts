import { EventEmitter, once } from "node:events";
import { expect, test } from "vitest";
import type { Health, HealthStatus } from "./health.ts";
import { StorageWatch } from "./storage-watch.ts";

/** Health that emits an event for each change. */
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

  degrade(): void {}
}

/** A store that is there or not. */
class Switch {
  isAway = false;
  looks = 0;

  async ready(): Promise<void> {
    this.looks++;
    if (this.isAway) {
      throw new Error("connection refused");
    }
  }
}

test("health follows the store, away and back, one change each", async () => {
  const health = new RecordedHealth();
  const store = new Switch();
  store.isAway = true;
  const watch = new StorageWatch({ store, health, intervalMs: 1, awayIntervalMs: 1 });
  watch.start();
  await once(health, "change");
  await expect.poll(() => store.looks).toBeGreaterThan(3);
  store.isAway = false;
  await once(health, "change");
  watch.stop();
  expect(health.changes).toEqual(["connection refused", "available"]);
});

test("a request that fails, or works again, makes it look at once", async () => {
  const health = new RecordedHealth();
  const store = new Switch();
  const hourMs = 3_600_000;
  const watch = new StorageWatch({ store, health, intervalMs: hourMs, awayIntervalMs: hourMs });
  store.isAway = true;
  const away = once(health, "change");
  watch.unreachable();
  watch.unreachable();
  await away;
  watch.unreachable();
  expect(store.looks).toBe(1);

  store.isAway = false;
  const back = once(health, "change");
  watch.answered();
  await back;
  watch.answered();
  expect(store.looks).toBe(2);
  watch.stop();
  store.isAway = true;
  watch.unreachable();
  expect(store.looks).toBe(2);
});

test("a request that fails though the store answers changes nothing", async () => {
  const health = new RecordedHealth();
  const store = new Switch();
  const watch = new StorageWatch({ store, health });
  watch.unreachable();
  await expect.poll(() => store.looks).toBe(1);
  watch.stop();
  expect(health.changes).toEqual([]);
});

test("a look that takes too long is repeated at once, and two of them make the store away", async () => {
  const health = new RecordedHealth();
  let hangs = 1;
  let looks = 0;
  const store = {
    async ready(signal?: AbortSignal): Promise<void> {
      looks++;
      if (hangs-- > 0) {
        await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      }
    },
  };
  const hourMs = 3_600_000;
  const watch = new StorageWatch({ store, health, readyTimeoutMs: 20, intervalMs: hourMs });
  watch.unreachable();
  await expect.poll(() => looks).toBe(2);
  await new Promise(setImmediate);
  expect(health.changes).toEqual([]);

  hangs = 2;
  const away = once(health, "change");
  watch.unreachable();
  await away;
  watch.stop();
  expect({ looks, changes: health.changes }).toEqual({
    looks: 4,
    changes: ["storage did not answer within 20 ms"],
  });
});
