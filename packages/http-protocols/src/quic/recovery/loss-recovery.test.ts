import { expect, test } from "vitest";
import { LossRecovery } from "./loss-recovery.ts";
import { RttEstimator } from "./rtt-estimator.ts";

const datagramBytes = 1_200;

function newRecovery() {
  const recovery = new LossRecovery<string>(datagramBytes, "new-reno");
  recovery.handshakeConfirmed = true;
  const send = (now: number, bytes = datagramBytes) => {
    const number = recovery.sent.application.nextNumber++;
    recovery.onSent("application", { number, sentAt: now, bytes, frames: [`frame ${number}`] });
  };
  const ack = (now: number, ...ranges: [low: number, high: number][]) =>
    recovery.onAck(
      "application",
      ranges.map(([low, high]) => ({ low, high })),
      0,
      now,
    );
  return { recovery, send, ack };
}

const numbersOf = (packets: readonly { number: number }[]) => packets.map(({ number }) => number);

test("smooths the round-trip time as RFC 9002 says", () => {
  const rtt = new RttEstimator();
  expect([rtt.smoothed, rtt.probeTimeout]).toEqual([333, 999]);
  rtt.addSample(100, 50, 0);
  expect([rtt.smoothed, rtt.variation, rtt.min]).toEqual([100, 50, 100]);
  rtt.addSample(180, 20, 1);
  expect([rtt.smoothed, rtt.variation, rtt.min]).toEqual([107.5, 52.5, 100]);
  // A delay that would bring the time below the smallest is not believed.
  rtt.addSample(105, 20, 2);
  expect(rtt.smoothed).toBeCloseTo(107.1875);
});

test("takes packets for lost when three later ones arrived", () => {
  const { recovery, send, ack } = newRecovery();
  for (let index = 0; index < 6; index++) {
    send(index);
  }
  const first = ack(50, [1, 3]);
  expect([numbersOf(first.acked), numbersOf(first.lost)]).toEqual([[1, 2, 3], [0]]);
  const second = ack(51, [5, 5], [1, 3]);
  expect([numbersOf(second.acked), numbersOf(second.lost)]).toEqual([[5], []]);
  // Packet 4 is late but not lost yet: after 9/8 of the round-trip time it is.
  const deadline = recovery.deadline()!;
  expect(deadline).toBeCloseTo(4 + (9 / 8) * Math.max(recovery.rtt.smoothed, 46), 0);
  expect(numbersOf(recovery.onTimeout(deadline - 1).lost)).toEqual([]);
  expect(numbersOf(recovery.onTimeout(deadline).lost)).toEqual([4]);
  expect(recovery.congestion.inFlight).toBe(0);
});

test("probes when nothing comes, and doubles the time each time", () => {
  const { recovery, send, ack } = newRecovery();
  send(0);
  ack(100, [0, 0]);
  expect(recovery.deadline()).toBeUndefined();
  send(1_000);
  // 100 + 4 * 50 + 25
  expect(recovery.deadline()).toBe(1_325);
  expect(recovery.onTimeout(1_325)).toEqual({ lost: [], probe: "application" });
  expect(recovery.deadline()).toBe(1_650);
  expect(recovery.onTimeout(1_600).probe).toBeUndefined();
  send(1_400);
  expect(recovery.deadline()).toBe(2_050);
  expect(numbersOf(ack(1_500, [2, 2]).lost)).toEqual([1]);
  expect(recovery.deadline()).toBeUndefined();
});

test("waits for no 1-RTT packets before the handshake is confirmed", () => {
  const { recovery, send } = newRecovery();
  recovery.handshakeConfirmed = false;
  send(0);
  expect(recovery.deadline()).toBeUndefined();
  recovery.onSent("handshake", { number: 0, sentAt: 5, bytes: 500, frames: [] });
  expect(recovery.deadline()).toBe(5 + 999);
  recovery.discard("handshake");
  expect(recovery.deadline()).toBeUndefined();
  expect(recovery.congestion.inFlight).toBe(datagramBytes);
});

test("grows the window in slow start, halves it once for each congestion, then grows by a packet each round", () => {
  const { recovery, send, ack } = newRecovery();
  const { congestion } = recovery;
  expect(congestion.window).toBe(32 * datagramBytes);
  congestion.window = 12_000;
  congestion.isUsed = true;
  for (let index = 0; index < 10; index++) {
    send(0);
  }
  ack(50, [0, 9]);
  expect(congestion.window).toBe(24_000);
  for (let index = 0; index < 20; index++) {
    send(60);
  }
  ack(110, [14, 20]);
  expect(congestion.window).toBeCloseTo(12_000, -1);
  // Packets that were sent before the congestion was seen belong to it.
  ack(120, [24, 26], [14, 20]);
  expect(congestion.window).toBeCloseTo(12_000, -1);
  for (let number = 30; number < 40; number++) {
    send(130);
  }
  ack(180, [27, 39]);
  expect(congestion.window).toBeGreaterThan(12_000);
  expect(congestion.window).toBeLessThan(13_500);
  expect(congestion.inFlight).toBe(0);
});

test("does not grow a window that the application leaves unused", () => {
  const { recovery, send, ack } = newRecovery();
  send(0);
  ack(50, [0, 0]);
  expect(recovery.congestion.window).toBe(32 * datagramBytes);
});

test("begins anew when everything was lost for long", () => {
  const { recovery, send, ack } = newRecovery();
  send(0);
  ack(50, [0, 0]);
  for (let index = 0; index < 8; index++) {
    send(100 + index * 400);
  }
  send(3_400);
  recovery.congestion.isUsed = true;
  ack(3_450, [9, 9]);
  // Two datagrams, and slow start for the one that arrived.
  expect(recovery.congestion.window).toBe(3 * datagramBytes);
});

test("leaves out numbers, so that it finds peers that acknowledge what they did not receive", () => {
  const { sent } = new LossRecovery(datagramBytes);
  const { application } = sent;
  const missing: number[] = [];
  for (let count = 0; count < 5_000; count++) {
    const before = application.nextNumber;
    application.advanceNumber();
    if (application.nextNumber !== before + 1) {
      missing.push(before + 1);
    }
  }
  expect(missing.length).toBeGreaterThanOrEqual(3);
  expect(missing.length).toBeLessThan(50);
  const last = missing.at(-1)!;
  expect(application.hasUnsent([{ low: last - 1, high: last - 1 }])).toBe(false);
  expect(application.hasUnsent([{ low: last - 1, high: last }])).toBe(true);
  expect(application.hasUnsent([{ low: application.nextNumber, high: application.nextNumber }])).toBe(true);
});
