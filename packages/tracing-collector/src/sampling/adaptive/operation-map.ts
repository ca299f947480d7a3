/** A value for each operation of each service. */
export class OperationMap<Value> {
  readonly #services = new Map<string, Map<string, Value>>();
  #size = 0;

  /** Number of operations of all services. */
  get size(): number {
    return this.#size;
  }

  get serviceCount(): number {
    return this.#services.size;
  }

  get(service: string, operation: string): Value | undefined {
    return this.#services.get(service)?.get(operation);
  }

  set(service: string, operation: string, value: Value): void {
    let operations = this.#services.get(service);
    if (operations === undefined) {
      operations = new Map();
      this.#services.set(service, operations);
    }
    const sizeBefore = operations.size;
    operations.set(operation, value);
    this.#size += operations.size - sizeBefore;
  }

  services(): Iterable<readonly [service: string, operations: ReadonlyMap<string, Value>]> {
    return this.#services;
  }

  *entries(): Generator<readonly [service: string, operation: string, value: Value]> {
    for (const [service, operations] of this.#services) {
      for (const [operation, value] of operations) {
        yield [service, operation, value];
      }
    }
  }
}
