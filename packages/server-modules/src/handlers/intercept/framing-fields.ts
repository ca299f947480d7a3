import { type HeaderList, removeHeaders } from "http-engine/header-list";

/** Fields for the framing and coding of a body. They would be wrong for a different body. */
const framing = new Set([
  "content-length",
  "content-encoding",
  "content-range",
  "transfer-encoding",
  "accept-ranges",
  "trailer",
]);

/** Fields that identify the version of a body. */
const versions = new Set(["etag", "last-modified"]);

/** Removes fields from a list and returns the removed ones. */
function takeOut(headers: HeaderList, names: ReadonlySet<string>): HeaderList {
  const taken: HeaderList = [];
  for (let index = 0; index < headers.length; index += 2) {
    if (names.has((headers[index] ?? "").toLowerCase())) {
      taken.push(headers[index] ?? "", headers[index + 1] ?? "");
    }
  }
  removeHeaders(headers, (name) => names.has(name));
  return taken;
}

/** Keeps the body fields of a response aside while other handlers may send a different body. */
export class BodyFields {
  readonly #headers: HeaderList;
  readonly #framing: HeaderList;
  readonly #versions: HeaderList = [];

  /** @param headers fields of the response; framing fields are removed from the list */
  constructor(headers: HeaderList) {
    this.#headers = headers;
    this.#framing = takeOut(headers, framing);
    for (let index = 0; index < headers.length; index += 2) {
      if (versions.has((headers[index] ?? "").toLowerCase())) {
        this.#versions.push(headers[index] ?? "", headers[index + 1] ?? "");
      }
    }
  }

  /** Restores the fields, because the original body is sent. */
  restore(): void {
    takeOut(this.#headers, framing);
    this.#headers.push(...this.#framing);
  }

  /**
   * Removes fields that identify the version of the original body, because a different body is sent. @param headers of
   * the new response
   */
  dropVersions(headers: HeaderList): void {
    for (let index = 0; index < this.#versions.length; index += 2) {
      const at = headers.findIndex(
        (name, position) =>
          position % 2 === 0 &&
          name === this.#versions[index] &&
          headers[position + 1] === this.#versions[index + 1],
      );
      if (at >= 0) {
        headers.splice(at, 2);
      }
    }
  }
}
