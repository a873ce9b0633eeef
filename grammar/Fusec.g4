// SPDX-License-Identifier: Apache-2.0
// The language of fusec (docs/language.md). Every decision is made on one token, so parsing is linear in the text.
// Nesting is bounded on the tokens before parsing (frontend/nesting.hpp); chains of operators are loops, not recursion.
grammar Fusec;

// frontend/parse.cpp parses `statement` by `statement` to recover at statement ends; `program` is for ANTLR's own tools. What opens a
// block and the brace that closes it are statements of their own: frontend/blocks.cpp pairs them and says what may stand in which block.
program
    : (statement | returnValue)* EOF
    ;

statement
    : programName
    | declaration
    | constantDeclaration
    | inputList
    | inoutList
    | assignment
    | assertion
    | returnList
    | includeFile
    | programBlockOpening
    | loopOpening
    | definitionOpening
    | alternativesOpening
    | alternativeOpening
    | blockEnd
    ;

programName
    : PROGRAM NAME SEMICOLON
    ;

declaration
    : (UNIFORM storage? | storage UNIFORM?)? precision? shape NAME (COMMA NAME)* SEMICOLON
    ;

constantDeclaration
    : CONST storage? precision? shape constantDefinition (COMMA constantDefinition)* SEMICOLON
    ;

constantDefinition
    : NAME EQUALS (table | expression)
    ;

// How the caller's list is stored; the precision of arithmetic follows.
storage
    : STORE precision
    ;

precision
    : FLOAT
    | DOUBLE
    ;

shape
    : SCALAR
    | VECTOR
    | MATRIX
    | SYMMETRIC
    ;

inputList
    : INPUT NAME (COMMA NAME)* SEMICOLON
    ;

inoutList
    : INOUT NAME (COMMA NAME)* SEMICOLON
    ;

assignment
    : NAME subscript? (EQUALS | PLUS_EQUALS | MINUS_EQUALS) expression SEMICOLON
    ;

assertion
    : ASSERT LEFT_PARENTHESIS expression COMMA STRING RIGHT_PARENTHESIS SEMICOLON
    ;

returnList
    : RETURN NAME (COMMA NAME)* SEMICOLON
    ;

// In the block of a definition, in place of `returnList`.
returnValue
    : RETURN expression SEMICOLON
    ;

includeFile
    : INCLUDE STRING SEMICOLON
    ;

// A part of the program whose kernels start before those of the next part.
programBlockOpening
    : BLOCK NAME LEFT_BRACE
    ;

loopOpening
    : FOR NAME IN index DOTS index LEFT_BRACE
    ;

definitionOpening
    : DEF NAME LEFT_PARENTHESIS (parameter (COMMA parameter)*)? RIGHT_PARENTHESIS LEFT_BRACE
    ;

parameter
    : precision? shape? NAME
    ;

alternativesOpening
    : ALTERNATIVES LEFT_BRACE
    ;

// Directly behind the block of an alternative.
alternativeOpening
    : OR LEFT_BRACE
    ;

blockEnd
    : RIGHT_BRACE
    ;

table
    : LEFT_BRACKET tableEntry (COMMA tableEntry)* RIGHT_BRACKET
    ;

tableEntry
    : table
    | expression
    ;

// A comparison is the first argument of `select` or of `assert`, and stands nowhere else: frontend/comparisons.cpp says so of others.
expression
    : sum ((LESS | LESS_EQUAL | GREATER | GREATER_EQUAL | EQUAL | NOT_EQUAL) sum)*
    ;

sum
    : product ((PLUS | MINUS) product)*
    ;

product
    : signedOperand ((STAR | SLASH) signedOperand)*
    ;

signedOperand
    : MINUS* suffixed
    ;

suffixed
    : primary (APOSTROPHE | subscript)*
    ;

// `double(x)` is x in that precision: a call of one operand.
primary
    : NAME arguments?
    | precision arguments
    | NUMBER
    | LEFT_PARENTHESIS expression RIGHT_PARENTHESIS
    ;

arguments
    : LEFT_PARENTHESIS (expression (COMMA expression)*)? RIGHT_PARENTHESIS
    ;

subscript
    : LEFT_BRACKET slice (COMMA slice)* RIGHT_BRACKET
    ;

// One index, or a range of them.
slice
    : index (COLON index?)?
    | COLON index?
    ;

// Integer arithmetic of bounds and indices.
index
    : indexProduct ((PLUS | MINUS) indexProduct)*
    ;

indexProduct
    : signedIndex ((STAR | SLASH | PERCENT) signedIndex)*
    ;

signedIndex
    : MINUS* indexOperand
    ;

indexOperand
    : NAME entry?
    | NUMBER
    | LEFT_PARENTHESIS index RIGHT_PARENTHESIS
    ;

// Of a table of whole numbers.
entry
    : LEFT_BRACKET index (COMMA index)? RIGHT_BRACKET
    ;

PROGRAM : 'program' ;
INPUT   : 'input' ;
INOUT   : 'inout' ;
RETURN  : 'return' ;
UNIFORM : 'uniform' ;
CONST   : 'const' ;
INCLUDE : 'include' ;
DEF     : 'def' ;
BLOCK   : 'block' ;
FOR     : 'for' ;
IN      : 'in' ;
ALTERNATIVES : 'alternatives' ;
OR      : 'or' ;
ASSERT  : 'assert' ;
FLOAT   : 'float' ;
DOUBLE  : 'double' ;
STORE   : 'store' ;

SCALAR : 'SCALAR' ;
VECTOR : 'VECTOR' DIGIT+ ;
MATRIX : 'MATRIX' DIGIT+ 'x' DIGIT+ ;
SYMMETRIC : 'SYMMETRIC' DIGIT+ ;

NAME   : LETTER (LETTER | DIGIT)* ;
NUMBER : COMPLETE_NUMBER | DIGIT+ '.' ;
STRING : '"' ~["\r\n]* '"' ;

EQUALS            : '=' ;
PLUS_EQUALS       : '+=' ;
MINUS_EQUALS      : '-=' ;
LESS              : '<' ;
LESS_EQUAL        : '<=' ;
GREATER           : '>' ;
GREATER_EQUAL     : '>=' ;
EQUAL             : '==' ;
NOT_EQUAL         : '!=' ;
COMMA             : ',' ;
COLON             : ':' ;
SEMICOLON         : ';' ;
PLUS              : '+' ;
MINUS             : '-' ;
STAR              : '*' ;
SLASH             : '/' ;
PERCENT           : '%' ;
DOTS              : '..' ;
APOSTROPHE        : '\'' ;
LEFT_PARENTHESIS  : '(' ;
RIGHT_PARENTHESIS : ')' ;
LEFT_BRACKET      : '[' ;
RIGHT_BRACKET     : ']' ;
LEFT_BRACE        : '{' ;
RIGHT_BRACE       : '}' ;

BLANK         : [ \t\r\n\f]+ -> skip ;
LINE_COMMENT  : '//' ~[\r\n]* -> skip ;
BLOCK_COMMENT : '/*' .*? '*/' -> skip ;

// `0..` of `0..8`, which would else begin with the number `0.`; frontend/token_list.cpp makes a NUMBER and DOTS of it. (A predicate in
// the lexer would do without, but the runtime leaks memory for each.)
RANGE_START : DIGIT+ '..' ;

// The rest is reported by frontend/token_list.cpp, never parsed: a lexer that knows every text has no errors of its own.
OPEN_COMMENT     : '/*' ;
MALFORMED_NUMBER : COMPLETE_NUMBER ('.'? (LETTER | DIGIT))+ ;
UNEXPECTED       : . ;

fragment LETTER : [A-Za-z_] ;
fragment DIGIT  : [0-9] ;
fragment COMPLETE_NUMBER : (DIGIT+ ('.' DIGIT+)? | '.' DIGIT+) EXPONENT? | DIGIT+ '.' EXPONENT ;
fragment EXPONENT        : [eE] [+-]? DIGIT+ ;
