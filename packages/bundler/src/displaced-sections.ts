import { closeSync, openSync, readSync, writeSync } from "node:fs";

const elfMagic = Buffer.from("\x7fELF\x02\x01", "latin1");
const headerBytes = 64;
/** Offset of the flags in a section header. Source: System V ABI, "Sections" of 64-bit files */
const flagsAt = 8;
const flagAlloc = 0x2n;

/**
 * Removes sections that are not loaded (symbols, debug information) from the section table of an ELF file.
 * Files of other formats stay unchanged.
 *
 * `node --build-sea` leaves headers of these sections whose offsets are wrong by some hundred bytes. The
 * engine of tracing-storage reads function names at these offsets for each error, and reported garbage instead of the
 * error.
 */
export function forgetDisplacedSections(path: string): void {
  const file = openSync(path, "r+");
  try {
    const header = Buffer.alloc(headerBytes);
    readSync(file, header, 0, headerBytes, 0);
    if (!header.subarray(0, elfMagic.length).equals(elfMagic)) {
      return;
    }
    const start = Number(header.readBigUInt64LE(0x28));
    const [bytes, count, ofNames] = [0x3a, 0x3c, 0x3e].map((place) => header.readUInt16LE(place));
    if (bytes === undefined || count === undefined) {
      return;
    }
    const sections = Buffer.alloc(bytes * count);
    readSync(file, sections, 0, sections.length, start);
    for (let index = 1; index < count; index++) {
      const section = sections.subarray(index * bytes, (index + 1) * bytes);
      const isLoaded = (section.readBigUInt64LE(flagsAt) & flagAlloc) !== 0n;
      if (!isLoaded && index !== ofNames) {
        section.fill(0);
      }
    }
    writeSync(file, sections, 0, sections.length, start);
  } finally {
    closeSync(file);
  }
}
