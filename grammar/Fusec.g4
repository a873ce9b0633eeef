// SPDX-License-Identifier: Apache-2.0
// The language of fusec (docs/language.md). Every decision is made on one token, so parsing is linear in the text.
// Nesting is bounded on the tokens before parsing (frontend/nesting.hpp); chains of operators are loops, not recursion.
grammar Fusec;

// frontend/parse.cpp parses `statement` by `statement` to recover at statement ends; `program` is for ANTLR's own tools.
program
    : statement* EOF
    ;

statement
    : programName
    | declaration
    | constantDeclaration
    | inputList
    | assignment
    | returnList
    ;

programName
    : PROGRAM NAME SEMICOLON
    ;

declaration
    : UNIFORM? precision? shape NAME (COMMA NAME)* SEMICOLON
    ;

constantDeclaration
    : CONST precision? shape constantDefinition (COMMA constantDefinition)* SEMICOLON
    ;

constantDefinition
    : NAME EQUALS (table | expression)
    ;

precision
    : FLOAT
    | DOUBLE
    ;

shape
    : SCALAR
    | VECTOR
    | MATRIX
    ;

inputList
    : INPUT NAME (COMMA NAME)* SEMICOLON
    ;

assignment
    : NAME EQUALS expression SEMICOLON
    ;

returnList
    : RETURN NAME (COMMA NAME)* SEMICOLON
    ;

table
    : LEFT_BRACKET tableEntry (COMMA tableEntry)* RIGHT_BRACKET
    ;

tableEntry
    : table
    | expression
    ;

expression
    : product ((PLUS | MINUS) product)*
    ;

product
    : signedOperand ((STAR | SLASH) signedOperand)*
    ;

signedOperand
    : MINUS* transposed
    ;

transposed
    : primary APOSTROPHE*
    ;

primary
    : NAME arguments?
    | NUMBER
    | LEFT_PARENTHESIS expression RIGHT_PARENTHESIS
    ;

arguments
    : LEFT_PARENTHESIS (expression (COMMA expression)*)? RIGHT_PARENTHESIS
    ;

PROGRAM : 'program' ;
INPUT   : 'input' ;
RETURN  : 'return' ;
UNIFORM : 'uniform' ;
CONST   : 'const' ;
FLOAT   : 'float' ;
DOUBLE  : 'double' ;

SCALAR : 'SCALAR' ;
VECTOR : 'VECTOR' DIGIT+ ;
MATRIX : 'MATRIX' DIGIT+ 'x' DIGIT+ ;

NAME   : LETTER (LETTER | DIGIT)* ;
NUMBER : (DIGIT+ ('.' DIGIT*)? | '.' DIGIT+) ([eE] [+-]? DIGIT+)? ;

EQUALS            : '=' ;
COMMA             : ',' ;
SEMICOLON         : ';' ;
PLUS              : '+' ;
MINUS             : '-' ;
STAR              : '*' ;
SLASH             : '/' ;
APOSTROPHE        : '\'' ;
LEFT_PARENTHESIS  : '(' ;
RIGHT_PARENTHESIS : ')' ;
LEFT_BRACKET      : '[' ;
RIGHT_BRACKET     : ']' ;

BLANK         : [ \t\r\n\f]+ -> skip ;
LINE_COMMENT  : '//' ~[\r\n]* -> skip ;
BLOCK_COMMENT : '/*' .*? '*/' -> skip ;

// The rest is reported by frontend/tokens.cpp, never parsed: a lexer that knows every text has no errors of its own.
OPEN_COMMENT     : '/*' ;
MALFORMED_NUMBER : NUMBER (LETTER | DIGIT | '.')+ ;
UNEXPECTED       : . ;

fragment LETTER : [A-Za-z_] ;
fragment DIGIT  : [0-9] ;
