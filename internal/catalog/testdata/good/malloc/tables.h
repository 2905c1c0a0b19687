#pragma once
//memcost:table Malloc by size: malloc = op:malloc
