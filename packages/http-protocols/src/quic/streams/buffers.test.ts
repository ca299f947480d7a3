import { expect, test } from "vitest";
import { randomOf } from "wire/testing";
import { ByteRanges } from "./byte-ranges.ts";
import { ReceiveBuffer } from "./receive-buffer.ts";
import { SendBuffer, type SentPiece } from "./send-buffer.ts";

const text = Buffer.from(Array.from({ length: 2_000 }, (_, index) => index % 251));
const noLimit = Number.MAX_SAFE_INTEGER;

test("keeps sets of bytes like a list of flags", () => {
  const random = randomOf(9_000);
  const ranges = new ByteRanges();
  const flags = new Array<boolean>(100).fill(false);
  for (let round = 0; round < 500; round++) {
    const from = random(100);
    const to = Math.min(from + random(20), 100);
    const added = random(2) === 0;
    ranges[added ? "add" : "remove"](from, to);
    flags.fill(added, from, Math.max(to, from));
    const runs = flags.filter((flag, index) => flag && !flags[index - 1]).length;
    expect(ranges.count).toBe(runs);
    expect(ranges.first?.from ?? -1).toBe(flags.indexOf(true));
  }
});

test("gives bytes in order, whatever the order, overlaps and repetitions of frames", () => {
  const random = randomOf(1);
  for (let round = 0; round < 50; round++) {
    const buffer = new ReceiveBuffer();
    const parts: Buffer[] = [];
    while (buffer.nextOffset < text.length) {
      const near = Math.max(0, buffer.nextOffset - 50);
      const from = Math.min(near + random(400), text.length - 1);
      parts.push(...buffer.push(from, text.subarray(from, from + 1 + random(120))));
    }
    expect(Buffer.concat(parts).equals(text)).toBe(true);
  }
});

test("refuses thousands of gaps", () => {
  const buffer = new ReceiveBuffer();
  expect(() => {
    for (let index = 1; index < 1_500; index++) {
      buffer.push(index * 2, Buffer.of(1));
    }
  }).toThrow(expect.objectContaining({ name: "QuicError", code: 1 }));
});

test("sends every byte until all are acknowledged, though pieces are lost", () => {
  const random = randomOf(2);
  for (let round = 0; round < 50; round++) {
    const buffer = new SendBuffer();
    const received = Buffer.alloc(text.length);
    const underWay: SentPiece[] = [];
    let written = 0;
    while (!buffer.isAcked || written < text.length) {
      if (written < text.length && random(3) === 0) {
        const length = 1 + random(300);
        buffer.write(text.subarray(written, written + length));
        written = Math.min(written + length, text.length);
      }
      const piece = buffer.take(1 + random(200), noLimit);
      if (piece !== undefined) {
        underWay.push(piece);
        let at = piece.offset;
        buffer.read(piece, (bytes) => {
          at += bytes.copy(received, at);
        });
        expect(at).toBe(piece.offset + piece.length);
      }
      if (underWay.length > 0 && random(2) === 0) {
        const [chosen] = underWay.splice(random(underWay.length), 1) as [SentPiece];
        buffer[random(3) === 0 ? "onLost" : "onAcked"](chosen);
      }
    }
    expect(received.equals(text)).toBe(true);
    expect(buffer.heldBytes).toBe(0);
  }
});

test("sends new bytes up to the peer's limit, lost ones always", () => {
  const buffer = new SendBuffer();
  buffer.write(text);
  const first = buffer.take(100, 150)!;
  expect(first).toEqual({ offset: 0, length: 100 });
  expect(buffer.take(100, 150)).toEqual({ offset: 100, length: 50 });
  expect(buffer.take(100, 150)).toBeUndefined();
  buffer.onLost(first);
  expect(buffer.take(60, 150)).toEqual({ offset: 0, length: 60 });
  expect(buffer.take(60, 150)).toEqual({ offset: 60, length: 40 });
});
