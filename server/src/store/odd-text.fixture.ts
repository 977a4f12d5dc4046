/** Texts that engines, drivers or languages like to change, confuse or sort in their own way. No NUL: none is taken. */
export const odd = [
  'a', 'B', 'Z', 'b', 'A', 'aa', 'a ', ' a', 'a\t', '\t', '\n', '\r\n', '\u0001', '\u001f', '\u007f', ' ', '',
  'ä', 'a\u0308', 'Ä', 'é', 'e\u0301', 'ß', 'ss', 'SS', 'ı', 'İ', 'i', 'I', 'Σ', 'ς', 'σ', '가', '한글', '通知', 'ｱ', 'ア',
  '😀', '👩‍👩‍👧', '\u{10000}', '\uffff', '\ufffd', '\ue000', '\u200b', '\ufeff', '\u202e', '\u00a0',
  '?', '?1', '$1', '%', '_', '*', '\\', '\\n', "'", "''", '"', '""', '`', ';', '--', '/*in order*/', ',', '{', '}', '{}', '{1,2}', '[1]',
  'null', 'NULL', 'true', '0', '-0', '1', '01', '1.0', '9007199254740993',
]

export const oddInOrder = odd.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
