import type { Span } from "wire/model";
import { attributeText } from "wire/rows";

/** Attributes of a span and its resource as text, without repeats. */
export function distinctAttributes(span: Span): { place: "span" | "resource"; key: string; value: string }[] {
  const of = (place: "span" | "resource", { attributes }: Pick<Span, "attributes">) =>
    new Set(attributes.map(({ key, value }) => JSON.stringify([place, key, attributeText(value)])));
  return [...of("span", span), ...of("resource", span.resource)].map((id) => {
    const [place, key, value] = JSON.parse(id) as ["span" | "resource", string, string];
    return { place, key, value };
  });
}
