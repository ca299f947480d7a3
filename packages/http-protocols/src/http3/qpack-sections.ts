import type { HeaderField } from "../http2/header-field.ts";
import { Http3Error, http3Errors } from "./http3-error.ts";
import { decodeFieldSection, requiredInserts } from "./qpack-decoder.ts";
import { DynamicTable } from "./qpack-dynamic-table.ts";
import { decoderInstructions, EncoderStreamReader } from "./qpack-instructions.ts";

/** Limits of the client's dynamic table, which SETTINGS announce. */
export const qpackLimits = {
  /** Size limit of the table in bytes; each entry counts 32 bytes extra. */
  tableCapacity: 4_096,
  /** Maximum number of streams that may wait for entries. Flow control of the connection counts their bytes. */
  blockedStreams: 16,
} as const;

interface BlockedSection {
  readonly requiredInserts: number;
  readonly resume: () => void;
}

/** Decodes the field sections of one client. A section may wait for entries of the client's dynamic table. */
export class FieldSectionReader {
  readonly #table = new DynamicTable(qpackLimits.tableCapacity);
  readonly #instructions = new EncoderStreamReader(this.#table);
  /** Waiting sections, by stream ID. */
  readonly #blocked = new Map<number, BlockedSection>();
  readonly #send: (instruction: Buffer) => void;
  /** Number of entries whose arrival was reported to the client. */
  #knownInserts = 0;

  /** @param send called with instructions for the client's encoder */
  constructor(send: (instruction: Buffer) => void) {
    this.#send = send;
  }

  /** Processes bytes of the client's encoder stream. @throws Http3Error QPACK_ENCODER_STREAM_ERROR */
  receiveInstructions(bytes: Buffer): void {
    this.#instructions.push(bytes);
    const { insertCount } = this.#table;
    for (const [streamId, { requiredInserts: required, resume }] of [...this.#blocked]) {
      if (required <= insertCount && this.#blocked.delete(streamId)) {
        resume();
      }
    }
    if (insertCount > this.#knownInserts) {
      this.#send(decoderInstructions.insertsReceived(insertCount - this.#knownInserts));
      this.#knownInserts = insertCount;
    }
  }

  /**
   * Checks that a section can be decoded now.
   * @param resume called once, as soon as a waiting section can be decoded
   * @throws Http3Error QPACK_DECOMPRESSION_FAILED, also when more sections wait than allowed
   */
  isReady(streamId: number, section: Buffer, resume: () => void): boolean {
    const required = requiredInserts(section, this.#table);
    if (required <= this.#table.insertCount) {
      return true;
    }
    if (this.#blocked.size >= qpackLimits.blockedStreams) {
      throw new Http3Error(http3Errors.qpackDecompressionFailed, "too many requests wait for entries");
    }
    this.#blocked.set(streamId, { requiredInserts: required, resume });
    return false;
  }

  /** @returns undefined for a list over `maxListBytes`. @throws Http3Error QPACK_DECOMPRESSION_FAILED */
  read(streamId: number, section: Buffer, maxListBytes: number): HeaderField[] | undefined {
    const required = requiredInserts(section, this.#table);
    const fields = decodeFieldSection(section, maxListBytes, this.#table);
    if (required > 0) {
      this.#knownInserts = Math.max(this.#knownInserts, required);
      this.#send(decoderInstructions.sectionAcknowledged(streamId));
    }
    return fields;
  }

  /** Forgets a waiting section of a stream whose rest is not read. */
  cancel(streamId: number): void {
    this.#blocked.delete(streamId);
    if (this.#table.insertCount > 0) {
      this.#send(decoderInstructions.streamCancelled(streamId));
    }
  }
}
