import { Fragment } from "react";

/** A sentence of the schema. Text between backticks is shown as code: "the port of `dial`". */
export function Prose({ text }: { text: string }) {
  return text.split("`").map((part, index) => (
    // Parts have no identity but their position.
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    <Fragment key={index}>{index % 2 === 1 ? <code>{part}</code> : part}</Fragment>
  ));
}
