/**
 * The files of a part have an unknown form: another version, damage, or removed meanwhile. The engine answers
 * instead.
 */
export class UnreadablePart extends Error {
  override readonly name = "UnreadablePart";
}
