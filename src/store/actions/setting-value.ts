/** Why a broker could not take a value of this type (§2.12), as a sentence; `undefined` where it may. */
export function problemOfValue(dataType: string | undefined, value: string): string | undefined {
  if (dataType !== 'integer' || /^(?:0|[1-9]\d*)$/u.test(value)) return undefined;
  return 'It takes a whole number: digits alone, without a sign, a blank or a unit.';
}
