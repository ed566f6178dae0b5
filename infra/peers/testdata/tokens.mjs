// Counts the tokens of the text on stdin by the encoding o200k_base.
import { readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

console.log(countTokens(readFileSync(0, 'utf8')));
