import { ServiceCounts } from "./service-counts.ts";

/**
 * Counts of one source since the last scrape, as plain numbers. A labelled metric would cost more for each request than
 * all other counting.
 */
export class IntakeTotals {
  #requests = 0;
  #bytes = 0;
  #spans = new ServiceCounts();
  #traces = new ServiceCounts();

  /** Counts a request whose spans were kept. */
  addRequest(): void {
    this.#requests++;
  }

  addBytes(bytes: number): void {
    this.#bytes += bytes;
  }

  addServices(services: ServiceCounts): void {
    this.#spans.addSpansOf(services);
    this.#traces.addTracesOf(services);
  }

  takeRequests(): number {
    const requests = this.#requests;
    this.#requests = 0;
    return requests;
  }

  takeBytes(): number {
    const bytes = this.#bytes;
    this.#bytes = 0;
    return bytes;
  }

  takeSpans(): ServiceCounts["spans"] {
    const { spans } = this.#spans;
    this.#spans = new ServiceCounts();
    return spans;
  }

  takeTraces(): ServiceCounts["traces"] {
    const { traces } = this.#traces;
    this.#traces = new ServiceCounts();
    return traces;
  }
}
