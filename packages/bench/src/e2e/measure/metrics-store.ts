import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { DiskUsage, SpanStore } from "./span-store.ts";

const timeoutMs = 10_000;
const savedSpans = /^jaeger_collector_spans_saved_by_svc_total\{([^}]*)\} (\S+)$/gm;

/** The store of the public model's collector: spans are counted by its metrics, and bytes by its folder. */
export class MetricsStore implements SpanStore {
  readonly #metricsUrl: string;
  readonly #dataFolder: string | undefined;

  /**
   * @param metricsUrl the collector's Prometheus page
   * @param dataFolder folder with all data of its store
   */
  constructor(metricsUrl: string, dataFolder: string | undefined) {
    this.#metricsUrl = metricsUrl;
    this.#dataFolder = dataFolder;
  }

  async countSpans(): Promise<number> {
    const answer = await fetch(this.#metricsUrl, { signal: AbortSignal.timeout(timeoutMs) });
    if (!answer.ok) {
      throw new Error(`${this.#metricsUrl} answered ${answer.status}`);
    }
    let saved = 0;
    for (const [, labels = "", value] of (await answer.text()).matchAll(savedSpans)) {
      if (labels.includes('result="ok"')) {
        saved += Number(value);
      }
    }
    return saved;
  }

  async diskUsage(): Promise<DiskUsage | undefined> {
    if (this.#dataFolder === undefined) {
      return undefined;
    }
    const allBytes = await folderBytes(this.#dataFolder);
    return { spans: await this.countSpans(), spanBytes: allBytes, allBytes };
  }
}

/** Disk space of a folder: allocated blocks, because stores create files that are larger than their content. */
export async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true })) {
    const { blocks } = await lstat(join(folder, entry));
    bytes += blocks * 512;
  }
  return bytes;
}
