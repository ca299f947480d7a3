/** One value in DER encoding. */
interface DerValue {
  readonly tag: number;
  /** All bytes of the value, including tag and length. */
  readonly whole: Buffer;
  readonly content: Buffer;
  readonly rest: Buffer;
}

/** The first value in DER data: a tag of one byte, a length, and the content. */
function readValue(bytes: Buffer): DerValue {
  const first = bytes.readUInt8(1);
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  const at = 2 + lengthBytes;
  const end = at + (lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes));
  return {
    tag: bytes.readUInt8(0),
    whole: bytes.subarray(0, end),
    content: bytes.subarray(at, end),
    rest: bytes.subarray(end),
  };
}

/** Tag of the optional version: context-specific 0, constructed. Source: RFC 5280, section 4.1 */
const versionTag = 0xa0;

/**
 * Finds the name of a certificate's subject, which `X509Certificate` returns only as text.
 * @param certificate DER that the library has already accepted
 * @returns DER
 * Source: RFC 5280, section 4.1
 */
export function subjectName(certificate: Buffer): Buffer {
  let next = readValue(readValue(readValue(certificate).content).content);
  // The version is optional. Serial number, algorithm, issuer and validity are before the subject.
  for (let left = next.tag === versionTag ? 5 : 4; left > 0; left--) {
    next = readValue(next.rest);
  }
  return next.whole;
}
