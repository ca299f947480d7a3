import { isIPv4 } from "node:net";

/** A value that the format has, as far as tests need it. */
type Value = string | number | readonly Value[] | { readonly [name: string]: Value };

const types = { text: 2, uint16: 5, uint32: 6, map: 7, array: 11 } as const;

function control(type: number, size: number): Buffer {
  const [low, extended] = type > 7 ? [0, [type - 7]] : [type << 5, []];
  return size < 29 ? Buffer.from([low | size, ...extended]) : Buffer.from([low | 29, ...extended, size - 29]);
}

function encode(value: Value): Buffer {
  if (typeof value === "string") {
    return Buffer.concat([control(types.text, Buffer.byteLength(value)), Buffer.from(value)]);
  }
  if (typeof value === "number") {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(types.uint32, 4), bytes]);
  }
  if (Array.isArray(value)) {
    return Buffer.concat([control(types.array, value.length), ...value.map(encode)]);
  }
  const members = Object.entries(value as Record<string, Value>);
  return Buffer.concat([
    control(types.map, members.length),
    ...members.flatMap(([name, each]) => [encode(name), encode(each)]),
  ]);
}

/** Bits of an address as the tree of an IPv6 database has them: an IPv4 address has 96 zeros before it. */
function bitsOf(range: string): number[] {
  const [address = "", length = ""] = range.split("/");
  const bits = address
    .split(".")
    .flatMap((part) => [7, 6, 5, 4, 3, 2, 1, 0].map((shift) => (Number(part) >> shift) & 1));
  return [...new Array<number>(96).fill(0), ...bits.slice(0, Number(length))];
}

/**
 * For tests: a file of MaxMind's format with facts of IPv4 ranges.
 * Source: https://maxmind.github.io/MaxMind-DB/
 */
export function locationFile(facts: Readonly<Record<string, Value>>): Buffer {
  const data: Buffer[] = [];
  let dataBytes = 0;
  /** A node has two ends: the number of a node, or -1 for nothing, or the offset of data as `{ data }`. */
  const nodes: [Link, Link][] = [[-1, -1]];
  type Link = number | { readonly data: number };
  for (const [range, fact] of Object.entries(facts)) {
    if (!isIPv4(range.split("/")[0] ?? "")) {
      throw new Error(`${range} is no IPv4 range`);
    }
    const bits = bitsOf(range);
    let node = 0;
    for (const [index, bit] of bits.entries()) {
      const pair = nodes[node] as [Link, Link];
      if (index === bits.length - 1) {
        pair[bit as 0 | 1] = { data: dataBytes };
      } else {
        if (pair[bit as 0 | 1] === -1) {
          pair[bit as 0 | 1] = nodes.push([-1, -1]) - 1;
        }
        node = pair[bit as 0 | 1] as number;
      }
    }
    const bytes = encode(fact);
    data.push(bytes);
    dataBytes += bytes.length;
  }
  const tree = Buffer.alloc(nodes.length * 6);
  for (const [index, pair] of nodes.entries()) {
    for (const [side, link] of pair.entries()) {
      const value =
        link === -1 ? nodes.length : typeof link === "number" ? link : nodes.length + 16 + link.data;
      tree.writeUIntBE(value, index * 6 + side * 3, 3);
    }
  }
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: "Test",
    description: { en: "for tests" },
    ip_version: 6,
    languages: ["en"],
    node_count: nodes.length,
    record_size: 24,
  });
  return Buffer.concat([
    tree,
    Buffer.alloc(16),
    ...data,
    Buffer.from("abcdef", "hex"),
    Buffer.from("MaxMind.com"),
    metadata,
  ]);
}
