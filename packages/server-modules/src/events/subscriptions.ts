/** Handlers by event name, then by id or namespace of the module; "" means any. */
export class Subscriptions<Handler> {
  /** Handlers by event name in lower case, then by module. */
  readonly #byName = new Map<string, Map<string, Handler[]>>();

  /** An empty list means any. */
  add(names: readonly string[], modules: readonly string[], handler: Handler): void {
    for (const name of names.length > 0 ? names : [""]) {
      const key = name.toLowerCase();
      const byModule = this.#byName.get(key) ?? new Map<string, Handler[]>();
      this.#byName.set(key, byModule);
      for (const module of modules.length > 0 ? modules : [""]) {
        byModule.set(module, [...(byModule.get(module) ?? []), handler]);
      }
    }
  }

  /** True when any subscription takes events of this name. */
  has(name: string): boolean {
    return this.#byName.has(name) || this.#byName.has("");
  }

  /**
   * Handlers of an event in order: first handlers for its name, then for any name. Within each, handlers for the exact
   * module come before those for the namespaces around it. Source: Caddy 2.11
   */
  *of(name: string, module: string): Generator<Handler> {
    for (const wanted of name === "" ? [""] : [name, ""]) {
      const byModule = this.#byName.get(wanted);
      if (byModule === undefined) {
        continue;
      }
      for (let id = module; ; id = id.slice(0, Math.max(0, id.lastIndexOf(".")))) {
        yield* byModule.get(id) ?? [];
        if (id === "") {
          break;
        }
      }
    }
  }
}
