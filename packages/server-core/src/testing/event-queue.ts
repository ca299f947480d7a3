/** For tests: events that can be awaited one by one in order, before or after they happen. */
export class EventQueue<Event> {
  readonly #happened: Event[] = [];
  readonly #waiting: ((event: Event) => void)[] = [];

  push(event: Event): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) {
      this.#happened.push(event);
    } else {
      waiting(event);
    }
  }

  next(): Promise<Event> {
    const event = this.#happened.shift();
    return event === undefined
      ? new Promise((resolve) => this.#waiting.push(resolve))
      : Promise.resolve(event);
  }
}
