/**
 * The error for files of a part in an unknown form: another version, damage, or removed meanwhile. The engine answers
 * instead.
 */
export class UnreadablePart extends Error {
  override readonly name = "UnreadablePart";
}
