import fc from "fast-check";

/** For tests: a snappy block and its content. */
export interface SnappySample {
  readonly block: Buffer;
  readonly content: Buffer;
}

type Element =
  | { readonly literal: Buffer; readonly lengthBytes: number }
  | { readonly length: number; readonly offset: number; readonly kind: 1 | 2 | 3 };

const literal = fc.record({
  literal: fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  lengthBytes: fc.nat(4),
});
const copy = fc.record({
  length: fc.integer({ min: 1, max: 64 }),
  offset: fc.nat(),
  kind: fc.constantFrom(1 as const, 2 as const, 3 as const),
});

/** For tests: blocks with every kind of element, made from the format's description without a compressor. */
export const snappyArbitrary: fc.Arbitrary<SnappySample> = fc
  .array(fc.oneof<fc.Arbitrary<Element>[]>(literal, copy), { maxLength: 20 })
  .map((elements) => {
    const parts: Buffer[] = [];
    let content = Buffer.alloc(0);
    for (const element of elements) {
      if ("literal" in element) {
        parts.push(literalElement(element.literal, element.lengthBytes));
        content = Buffer.concat([content, element.literal]);
      } else if (content.length > 0) {
        const kind = element.kind;
        const length = kind === 1 ? 4 + (element.length % 8) : element.length;
        const offset = 1 + (element.offset % Math.min(content.length, kind === 1 ? 2047 : 65_535));
        parts.push(copyElement(kind, length, offset));
        for (let index = 0; index < length; index++) {
          content = Buffer.concat([
            content,
            content.subarray(content.length - offset, content.length - offset + 1),
          ]);
        }
      }
    }
    return { block: Buffer.concat([varint(content.length), ...parts]), content };
  });

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) {
    bytes.push((rest & 0x7f) | 0x80);
  }
  return Buffer.from([...bytes, rest]);
}

function literalElement(bytes: Buffer, wantedLengthBytes: number): Buffer {
  const length = bytes.length - 1;
  const lengthBytes = Math.max(wantedLengthBytes, length < 60 ? 0 : length < 256 ? 1 : 2);
  const head = Buffer.alloc(1 + lengthBytes, (lengthBytes === 0 ? length : 59 + lengthBytes) << 2);
  if (lengthBytes > 0) {
    head.writeUIntLE(length, 1, lengthBytes);
  }
  return Buffer.concat([head, bytes]);
}

function copyElement(kind: 1 | 2 | 3, length: number, offset: number): Buffer {
  if (kind === 1) {
    return Buffer.from([((offset >>> 8) << 5) | ((length - 4) << 2) | 1, offset & 0xff]);
  }
  const element = Buffer.alloc(kind === 2 ? 3 : 5, ((length - 1) << 2) | kind);
  element.writeUIntLE(offset, 1, element.length - 1);
  return element;
}
