import { expect, test } from "vitest";
import { Cubic } from "./cubic.ts";
import { LossRecovery } from "./loss-recovery.ts";
import { NewReno } from "./new-reno.ts";
import { Pacer } from "./pacer.ts";
import { PathMtu } from "./path-mtu.ts";

const datagramBytes = 1_200;
const rttMs = 100;

/** Acknowledges whole windows, a round trip each. @returns the window in packets after each */
function rounds(congestion: Cubic | NewReno, count: number, from: number, used = true): number[] {
  congestion.isUsed = used;
  return Array.from({ length: count }, (_, round) => {
    const now = from + (round + 1) * rttMs;
    const packets = Math.floor(congestion.window / datagramBytes);
    for (let index = 0; index < packets; index++) {
      congestion.onSent(datagramBytes);
      congestion.onAcked({
        bytes: datagramBytes,
        sentAt: now - rttMs + 1,
        now,
        smoothedRttMs: rttMs,
      });
    }
    return congestion.window / datagramBytes;
  });
}

function after(congestion: Cubic | NewReno, packets: number): typeof congestion {
  congestion.window = packets * datagramBytes;
  congestion.onSent(datagramBytes);
  congestion.onLost(datagramBytes, 1, 1);
  return congestion;
}

test("CUBIC returns to the window of the congestion after the time of RFC 9438, and waits there", () => {
  const congestion = after(new Cubic(datagramBytes), 1_000);
  expect(congestion.window / datagramBytes).toBeCloseTo(700);
  // K = cbrt(1000 * 0.3 / 0.4) seconds.
  const returnRounds = Math.round(Math.cbrt(750) * 10);
  const windows = rounds(congestion, 160, 1);
  expect(windows[returnRounds - 1]!).toBeGreaterThan(985);
  expect(windows[returnRounds - 1]!).toBeLessThan(1_001);
  expect(windows[returnRounds + 10]! - windows[returnRounds - 10]!).toBeLessThan(5);
  // Later the window grows faster and faster.
  expect(windows[159]! - windows[149]!).toBeGreaterThan(windows[139]! - windows[129]!);
  const slow = rounds(after(new NewReno(datagramBytes), 1_000), 91, 1);
  expect(slow.at(-1)!).toBeLessThan(600);
});

test("CUBIC is no slower than NewReno with the same losses where windows are small", () => {
  const cubic = rounds(after(new Cubic(datagramBytes), 10), 20, 1);
  expect(cubic.at(-1)!).toBeGreaterThan(7 + 19 * ((3 * 0.3) / 1.7));
});

test("CUBIC gives room sooner when its window was not as large as before, and does not count idle times", () => {
  const congestion = after(new Cubic(datagramBytes), 1_000);
  after(congestion, 1_000);
  congestion.window = 800 * datagramBytes;
  congestion.onSent(datagramBytes);
  congestion.onLost(datagramBytes, 10, 10);
  expect(congestion.window / datagramBytes).toBeCloseTo(560);
  const first = rounds(congestion, 5, 10).at(-1)!;
  const idle = rounds(congestion, 100, 510, false).at(-1)!;
  expect(idle).toBe(first);
  const next = rounds(congestion, 1, 10_510).at(-1)!;
  // The growth is that of one more round, not of a hundred.
  expect(next - first).toBeLessThan(30);
  congestion.onPersistentCongestion();
  expect(congestion.window).toBe(2 * datagramBytes);
});

test("paces a window over its round trip, after a burst", () => {
  const pacer = new Pacer();
  const path = { window: 100 * datagramBytes, isSlowStart: false, smoothedRttMs: rttMs, datagramBytes };
  let now = 0;
  let burst = 0;
  while (pacer.nextAt(path, now) <= now) {
    pacer.onSent(datagramBytes);
    burst++;
  }
  expect(burst).toBe(10);
  let sent = 0;
  while (now < 1_000) {
    const at = pacer.nextAt(path, now);
    if (at > now) {
      now = at;
    } else {
      pacer.onSent(datagramBytes);
      sent++;
    }
  }
  // A window of 100 in 100 ms, and a quarter more.
  expect(sent).toBeGreaterThan(1_200);
  expect(sent).toBeLessThan(1_260);
  // Half of what a timer of a millisecond can bring leaves at once where the path is faster than it.
  expect(pacer.nextAt({ ...path, smoothedRttMs: 0.1 }, 2_000)).toBe(2_000);
});

test("makes up for turns in which the process was busy, with half a window at most", () => {
  const path = { window: 200 * datagramBytes, isSlowStart: false, smoothedRttMs: rttMs, datagramBytes };
  const turn = (pacer: Pacer, now: number) => {
    let sent = 0;
    while (pacer.nextAt(path, now) <= now) {
      pacer.onSent(datagramBytes);
      sent++;
    }
    return sent;
  };
  const busy = new Pacer();
  const turns = Array.from({ length: 25 }, (_, index) => turn(busy, index * 20));
  // 2.5 datagrams a millisecond, and not a burst of ten for each turn of 20 milliseconds.
  expect(turns.slice(1).reduce((sum, sent) => sum + sent)).toBeGreaterThan(1_150);
  expect(turn(busy, 10_000)).toBe(100);
  // After a pause of the application there is a burst only.
  busy.onDrained();
  expect(turn(busy, 20_000)).toBe(10);
});

test("searches the sizes of datagrams downward, each once, and again ten minutes later", () => {
  const mtu = new PathMtu(1_232, 1_420);
  expect(mtu.probeBytes(0)).toBeUndefined();
  for (let index = 0; index < 8; index++) {
    mtu.onFullDatagram();
  }
  const seen: unknown[] = [];
  for (let size = mtu.probeBytes(0); size !== undefined; size = mtu.probeBytes(0)) {
    mtu.onProbeSent(size);
    expect(mtu.probeBytes(0)).toBeUndefined();
    seen.push(size);
    mtu.onProbeLost(size, 0);
  }
  expect(seen).toEqual([1_412, 1_372, 1_312]);
  expect(mtu.current).toBe(1_232);
  expect(mtu.probeBytes(600_000)).toBe(1_412);
  mtu.onProbeSent(1_412);
  mtu.onProbeAcked(1_412);
  expect([mtu.current, mtu.probeBytes(600_001)]).toEqual([1_412, undefined]);
  mtu.reset();
  mtu.onProbeAcked(1_412);
  expect(mtu.current).toBe(1_232);
});

test("grows in slow start while more than half of the window is in flight", () => {
  const grown = [17, 15].map((packets) => {
    const congestion = new Cubic(datagramBytes);
    congestion.onSent(packets * datagramBytes);
    congestion.onDrained();
    const { window } = congestion;
    congestion.onAcked({ bytes: datagramBytes, sentAt: 1, now: rttMs, smoothedRttMs: rttMs });
    return congestion.window - window;
  });
  expect(grown).toEqual([datagramBytes, 0]);
  const congestion = after(new Cubic(datagramBytes), 100);
  congestion.onSent(60 * datagramBytes);
  congestion.isUsed = true;
  congestion.onDrained();
  expect(congestion.isUsed).toBe(false);
});

test("keeps the curve of CUBIC when datagrams become larger", () => {
  const congestion = after(new Cubic(datagramBytes), 1_000);
  rounds(congestion, 3, 1);
  const { window } = congestion;
  congestion.resize(2 * datagramBytes);
  expect(congestion.window).toBe(window);
  // The window still returns to the bytes that it had at the congestion, and stays there.
  congestion.isUsed = true;
  for (let round = 4; round < 96; round++) {
    for (let index = Math.floor(congestion.window / congestion.datagramBytes); index > 0; index--) {
      const now = round * rttMs;
      const packet = { bytes: congestion.datagramBytes, sentAt: now - rttMs + 1, now, smoothedRttMs: rttMs };
      congestion.onSent(packet.bytes);
      congestion.onAcked(packet);
    }
  }
  expect(congestion.window / datagramBytes).toBeGreaterThan(985);
  expect(congestion.window / datagramBytes).toBeLessThan(1_010);
});

test("sees that everything was lost for a long time, also where numbers are missing", () => {
  const recovery = new LossRecovery<string>(datagramBytes);
  recovery.handshakeConfirmed = true;
  const send = (number: number, sentAt: number) => {
    recovery.sent.application.nextNumber = number + 1;
    recovery.onSent("application", { number, sentAt, bytes: datagramBytes, frames: [] });
  };
  const ack = (number: number, now: number) =>
    recovery.onAck("application", [{ low: number, high: number }], 0, now);
  send(0, 0);
  ack(0, 10);
  const window = recovery.congestion.window;
  // Every second number was of a packet that elicits nothing. Losses of a short time are one congestion.
  for (let number = 2; number <= 8; number += 2) {
    send(number, 10 + number);
  }
  ack(8, 40);
  expect(recovery.congestion.window).toBeGreaterThan(window / 2);
  for (let number = 10; number <= 20; number += 2) {
    send(number, 100 * number);
  }
  send(22, 2_100);
  recovery.congestion.isUsed = true;
  ack(22, 2_110);
  // The smallest, and what was acknowledged since.
  expect(recovery.congestion.window).toBe(3 * datagramBytes);
});

test("does not take a lost probe of a size for congestion", () => {
  const recovery = new LossRecovery<string>(datagramBytes);
  const { congestion } = recovery;
  const before = congestion.window;
  const size = { number: 0, sentAt: 0, bytes: 1_452, frames: ["probe"], isSizeProbe: true };
  recovery.onSent("application", size);
  for (let number = 1; number <= 4; number++) {
    recovery.onSent("application", { number, sentAt: 1, bytes: 100, frames: [] });
  }
  const { lost } = recovery.onAck("application", [{ low: 1, high: 4 }], 0, 50);
  expect(lost.map(({ number }) => number)).toEqual([0]);
  expect([congestion.window, congestion.inFlight]).toEqual([before, 0]);
});
