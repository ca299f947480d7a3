import type { RowScanner } from "../row-scanner.ts";
import { SpanGroup } from "./span-group.ts";

/** Maximum number of services with their own group; all further services share one group. */
const maxServices = 256;

/**
 * The rows of a block, grouped by service. Groups are sent in the order of services, which is the order of the store's
 * table, so the store need not sort the rows. With more than 256 services, some rows are out of order, and the store
 * then sorts all of them.
 *
 * The group of a service keeps its memory for the next block, unless it is far too large.
 */
export class ServiceGroups {
  /** Groups by service name. Each character of the key is one byte of the name, so that names are sorted by bytes. */
  readonly #groups = new Map<string, SpanGroup>();
  #others = new SpanGroup();
  /** Group for each prefix, with the prefix's number as the index. */
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
   * The group of the prefix's service, found once per prefix.
   * @param scanner has read the prefix, which contains the service
   */
  ofPrefix(prefix: number, scanner: RowScanner): SpanGroup {
    this.#ofPrefix[prefix] ??= this.#ofService(scanner);
    return this.#ofPrefix[prefix];
  }

  /** Groups with rows, in the order of their services. */
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
