// Bytes of a query, from the beginning of the connection:
//
// | offset | bytes | meaning |
// |---|---|---|
// | 0 | 2 | length of the following message |
// | 2 | 2 | id |
// | 4 | 2 | flags; QR, Z and the response code must be 0 |
// | 6 | 2 | number of questions, 1 to 16 |
// | 8 | 6 | numbers of the other records |
// | 14 | | questions: a name, a type and a class each |
//
// The first message of a client of DNS over TCP. Source: RFC 1035, section 4; RFC 1035, section 4.2.2

/** A question; class and type have their names from zone files. */
export interface DnsQuestion {
  /** Name in lower case, with a final dot. */
  readonly name: string;
  /** Record type such as `A`; "" for an unnamed number, which no rule can match. */
  readonly type: string;
  /** Class such as `IN`; "" for an unnamed number. */
  readonly class: string;
}

/** Source: IANA, "DNS CLASSes" */
const classNames: Readonly<Record<number, string>> = {
  ...{ 1: "IN", 2: "CS", 3: "CH", 4: "HS", 254: "NONE", 255: "ANY" },
};

/** Record types with a name. Source: IANA, "Resource Record (RR) TYPEs" */
const typeNames: Readonly<Record<number, string>> = {
  ...{
    1: "A",
    2: "NS",
    5: "CNAME",
    6: "SOA",
    10: "NULL",
    12: "PTR",
    13: "HINFO",
    15: "MX",
    16: "TXT",
    17: "RP",
  },
  ...{
    18: "AFSDB",
    24: "SIG",
    25: "KEY",
    28: "AAAA",
    29: "LOC",
    33: "SRV",
    35: "NAPTR",
    36: "KX",
    37: "CERT",
  },
  ...{ 39: "DNAME", 41: "OPT", 42: "APL", 43: "DS", 44: "SSHFP", 45: "IPSECKEY", 46: "RRSIG", 47: "NSEC" },
  ...{
    48: "DNSKEY",
    49: "DHCID",
    50: "NSEC3",
    51: "NSEC3PARAM",
    52: "TLSA",
    53: "SMIMEA",
    55: "HIP",
    59: "CDS",
  },
  ...{ 60: "CDNSKEY", 61: "OPENPGPKEY", 62: "CSYNC", 63: "ZONEMD", 64: "SVCB", 65: "HTTPS", 99: "SPF" },
  ...{
    108: "EUI48",
    109: "EUI64",
    249: "TKEY",
    250: "TSIG",
    251: "IXFR",
    252: "AXFR",
    255: "ANY",
    256: "URI",
  },
  ...{ 257: "CAA", 258: "AVC", 260: "AMTRELAY", 32768: "TA", 32769: "DLV" },
};

const headBytes = 12;
/** A message with more questions does not match. Real clients ask one; more means another protocol. */
const maxQuestions = 16;
/** Bits of QR, Z and the response code: all are 0 in a query. */
const responseBits = 0x80_4f;

/**
 * Parses a name: labels with a length each, 0 at the end. `03 77 77 77 00` is `www.`. Pointers are refused, because no
 * earlier name exists.
 * @returns undefined for an invalid name
 */
function readName(bytes: Buffer, from: number): { name: string; end: number } | undefined {
  const labels: string[] = [];
  let at = from;
  for (;;) {
    const length = bytes[at];
    if (length === undefined || length > 63 || at - from > 254 || at + 1 + length > bytes.length) {
      return undefined;
    }
    at++;
    if (length === 0) {
      return { name: `${labels.join(".")}.`.toLowerCase(), end: at };
    }
    labels.push(bytes.toString("latin1", at, at + length));
    at += length;
  }
}

/**
 * Parses the questions of a query. @param bytes first bytes of a connection
 * @returns undefined while the message is incomplete, "none" for another protocol
 */
export function readDnsQuestions(bytes: Buffer, maxBytes: number): DnsQuestion[] | "none" | undefined {
  if (bytes.length < 2) {
    return undefined;
  }
  const length = bytes.readUInt16BE(0);
  if (length < headBytes || length + 2 > maxBytes) {
    return "none";
  }
  // The header reveals another protocol early.
  if (bytes.length >= 6 && (bytes.readUInt16BE(4) & responseBits) !== 0) {
    return "none";
  }
  if (bytes.length < length + 2) {
    return undefined;
  }
  const message = bytes.subarray(2, length + 2);
  const count = message.readUInt16BE(4);
  if (count === 0 || count > maxQuestions) {
    return "none";
  }
  const questions: DnsQuestion[] = [];
  for (let at = headBytes; questions.length < count; ) {
    const read = readName(message, at);
    if (read === undefined || read.end + 4 > message.length) {
      return "none";
    }
    const [type, kind] = [message.readUInt16BE(read.end), message.readUInt16BE(read.end + 2)];
    questions.push({ name: read.name, type: typeNames[type] ?? "", class: classNames[kind] ?? "" });
    at = read.end + 4;
  }
  return questions;
}
