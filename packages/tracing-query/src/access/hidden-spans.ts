import type { PackedTrace, SpanList } from "storage/api";
import type { Resource, Scope, Span, SpanEvent, SpanLink } from "wire/model";
import type { HiddenNames } from "./hidden-names.ts";

/** Replaces hidden values in the spans of one answer. */
export class SpanMask {
  readonly #hidden: HiddenNames;
  // Spans share these objects, and callers group spans by them.
  readonly #resources = new WeakMap<Resource, Resource>();
  readonly #scopes = new WeakMap<Scope, Scope>();

  constructor(hidden: HiddenNames) {
    this.#hidden = hidden;
  }

  span(span: Span): Span {
    return {
      ...span,
      resource: this.#shared(this.#resources, span.resource),
      scope: this.#shared(this.#scopes, span.scope),
      attributes: this.#hidden.shownList(span.attributes),
      events: span.events.map((event: SpanEvent) => this.#own(event)),
      links: span.links.map((link: SpanLink) => this.#own(link)),
    };
  }

  /** A trace whose spans are masked when they are read. Rows cannot be masked, so `fieldsAt` is absent. */
  trace<T extends PackedTrace>({ traceId, spans }: T): PackedTrace {
    return { traceId, spans: this.#list(spans) };
  }

  #list(spans: SpanList): SpanList {
    const at = (index: number) => {
      const span = spans.at(index);
      return span === undefined ? undefined : this.span(span);
    };
    return { length: spans.length, at };
  }

  #own<T extends SpanEvent | SpanLink>(owner: T): T {
    const attributes = this.#hidden.shownList(owner.attributes);
    return attributes === owner.attributes ? owner : { ...owner, attributes };
  }

  #shared<T extends Resource | Scope>(known: WeakMap<T, T>, owner: T): T {
    let shown = known.get(owner);
    if (shown === undefined) {
      const attributes = this.#hidden.shownList(owner.attributes);
      shown = attributes === owner.attributes ? owner : { ...owner, attributes };
      known.set(owner, shown);
    }
    return shown;
  }
}
