import { GoDuration, NamedNumber, TemplateStruct } from "./go-types.ts";

/** Name of the Go type that a JavaScript value corresponds to. A number without a fraction is an `int`. */
export function typeName(value: unknown): string {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "number":
      return Number.isInteger(value) ? "int" : "float64";
    case "function":
      return "func()";
    default:
      return objectType(value);
  }
}

function objectType(value: unknown): string {
  if (value === null || value === undefined) {
    return "<nil>";
  }
  if (value instanceof Date) {
    return "time.Time";
  }
  if (value instanceof GoDuration) {
    return "time.Duration";
  }
  if (value instanceof NamedNumber) {
    return "int";
  }
  if (value instanceof TemplateStruct) {
    return value.type;
  }
  return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
}
