import type { DependencyLink, DependencyQuery, DependencyReader } from "../../api/dependency-reader.ts";
import type { ReadOptions } from "../../api/span-reader.ts";
import { timestampOf } from "./query-message.ts";
import type { RemoteCalls } from "./remote-calls.ts";
import { remoteMethods, remoteMethodsV2 } from "./remote-methods.ts";

/** The server's links between services. Some servers return separate links for each day, which are added up. */
export class GrpcDependencyReader implements DependencyReader {
  readonly #calls: RemoteCalls;
  readonly #version: 1 | 2;

  /** @param version of the API; both versions have the same fields */
  constructor(calls: RemoteCalls, version: 1 | 2) {
    this.#calls = calls;
    this.#version = version;
  }

  async getDependencies(
    { startUnixNano, endUnixNano }: DependencyQuery,
    options: ReadOptions = {},
  ): Promise<DependencyLink[]> {
    const request = { startTime: timestampOf(startUnixNano), endTime: timestampOf(endUnixNano) };
    const { dependencies } =
      this.#version === 1
        ? await this.#calls.unary(remoteMethods.getDependencies, request, options)
        : await this.#calls.unary(remoteMethodsV2.getDependencies, request, options);
    const links = new Map<string, DependencyLink>();
    for (const { parent, child, callCount, source } of dependencies) {
      const key = JSON.stringify([parent, child]);
      const known = links.get(key)?.callCount ?? 0;
      links.set(key, { parent, child, callCount: known + Number(callCount), source });
    }
    return [...links.values()].sort(
      (one, other) =>
        Buffer.compare(Buffer.from(one.parent), Buffer.from(other.parent)) ||
        Buffer.compare(Buffer.from(one.child), Buffer.from(other.child)),
    );
  }
}
