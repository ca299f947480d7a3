/** True for a value of `Content-Length`: a number of bytes, which JavaScript counts exactly. */
export function isLength(value: string): boolean {
  return /^\d{1,15}$/.test(value);
}
