import { ServerError } from "../../core/errors.ts";

/** Which file or snippet brings in which, so that no text brings in itself. */
export class ImportGraph {
  readonly #targets = new Map<string, Set<string>>();

  #reaches(from: string, goal: string): boolean {
    const seen = new Set<string>();
    const open = [from];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (name === goal) {
        return true;
      }
      if (!seen.has(name)) {
        seen.add(name);
        open.push(...(this.#targets.get(name) ?? []));
      }
    }
    return false;
  }

  /** @throws ServerError CONFIG_ADAPTER when `to` already leads to `from` */
  add(from: string, to: readonly string[], place: string): void {
    const targets = this.#targets.get(from) ?? new Set();
    this.#targets.set(from, targets);
    for (const target of to) {
      if (!targets.has(target) && this.#reaches(target, from)) {
        throw new ServerError(
          "CONFIG_ADAPTER",
          `a cycle of imports exists between ${from} and ${target}, at ${place}`,
        );
      }
      targets.add(target);
    }
  }
}
