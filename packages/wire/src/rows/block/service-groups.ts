import type { RowScanner } from "../row-scanner.ts";
import { SpanGroup } from "./span-group.ts";

/** Services past this number share a group. */
const maxServices = 256;

/**
 * The rows of a block, by service. They are sent in the order of services, which is the store's own order, so the
 * store need not sort them. With more than 256 services some rows are not, and it sorts them all.
 *
 * Groups rows by service. A service keeps its memory from block to block while the size fits.
 */
export class ServiceGroups {
  /** By name, with its bytes as code units, so that the order is that of bytes. */
  readonly #groups = new Map<string, SpanGroup>();
  #others = new SpanGroup();
  /** The group of each prefix, by its number. */
  readonly #ofPrefix: SpanGroup[] = [];

  clear(): void {
    this.#ofPrefix.length = 0;
    if (this.#others.isTooLarge) {
      this.#others = new SpanGroup();
    } else {
      this.#others.clear();
    }
    for (const [service, group] of this.#groups) {
      if (group.rows === 0 || group.isTooLarge) {
        this.#groups.delete(service);
      } else {
        group.clear();
      }
    }
  }

  /**
   * Returns the group of a prefix.
   * @param scanner has read the prefix, and with it the service
   */
  ofPrefix(prefix: number, scanner: RowScanner): SpanGroup {
    this.#ofPrefix[prefix] ??= this.#ofService(scanner);
    return this.#ofPrefix[prefix];
  }

  /** All that have rows, in their order. */
  get inOrder(): SpanGroup[] {
    const ordered = [...this.#groups].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return [...ordered.map(([, group]) => group), this.#others].filter(({ rows }) => rows > 0);
  }

  #ofService({ bytes, serviceStart, serviceEnd }: RowScanner): SpanGroup {
    const service = Buffer.from(
      bytes.buffer,
      bytes.byteOffset + serviceStart,
      serviceEnd - serviceStart,
    ).toString("latin1");
    const known = this.#groups.get(service);
    if (known !== undefined) {
      return known;
    }
    if (this.#groups.size >= maxServices) {
      return this.#others;
    }
    const group = new SpanGroup();
    this.#groups.set(service, group);
    return group;
  }
}
