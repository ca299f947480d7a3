import type { Field } from "traceql";
import { parseAttributeText } from "wire/rows";
import {
  attributeQueryValue,
  isList,
  type QueryValue,
  type Scalar,
  wordOf,
} from "../../../traceql/query-value.ts";
import { isOfEach } from "../../../traceql/stored-value.ts";

/** Values in the form that `fieldValues` returns. */
export type StoredTexts = readonly (readonly [type: string, text: string])[];

/** Converts the stored texts of a field to its value. */
export function readValue(field: Field, texts: StoredTexts): QueryValue {
  if (!isOfEach(field)) {
    for (const [type, text] of texts) {
      const value = oneValue(type, text);
      if (value !== undefined) {
        return value;
      }
    }
    return undefined;
  }
  if (texts.length === 0) {
    return undefined;
  }
  return texts.flatMap(([type, text]): readonly Scalar[] => {
    const value = oneValue(type, text);
    return value === undefined ? [] : isList(value) ? value : [value];
  });
}

function oneValue(type: string, text: string): QueryValue {
  switch (type) {
    case "status":
    case "kind":
      return wordOf(type, text);
    case "empty":
    case "string":
    case "bool":
    case "int":
    case "double":
    case "array":
    case "kvlist":
    case "bytes":
      return attributeQueryValue(parseAttributeText(type, text));
    default:
      return undefined;
  }
}
